/** Date ranges of filter chips, parsed from typed months and years. */
import { foldText } from '../ui/textMatch';

const EARLIEST = 1826; // year of the oldest photo known
const LEAST = 3; // letters of a month's name
const MOST = 3; // years offered if none was typed

const two = (value: number): string => String(value).padStart(2, '0');

export const daysOfYear = (year: number): string => `${year}-01-01/${year}-12-31`;

export function daysOfMonth(year: number, month: number): string {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return `${year}-${two(month)}-01/${year}-${two(month)}-${two(last)}`;
}

export type DateRange =
  | { readonly year: number }
  | { readonly month: string }
  | { readonly from: string | undefined; readonly to: string | undefined };

/** Shortest form of a date range. */
export function dateRangeOf(value: string): DateRange {
  const [from = '', to = ''] = value.split('/');
  const [year, month] = from.split('-').map(Number);
  if (year && value === daysOfYear(year)) return { year };
  if (year && month && value === daysOfMonth(year, month)) return { month: from.slice(0, 7) };
  return { from: from || undefined, to: to || undefined };
}

/** Months and years that the text may mean, likeliest first: `2024`, `6/2024`, `2024-06`, `june 24`, `june`. */
export function parseTypedDates(text: string, locale: string, now: Date): string[] {
  const typed = foldText(text);
  const latest = now.getUTCFullYear() + 1;
  const isYear = (year: number) => year >= EARLIEST && year <= latest;
  const year = /^\d{4}$/.exec(typed);
  if (year) return isYear(Number(typed)) ? [daysOfYear(Number(typed))] : [];
  const digits = /^(?<y>\d{4})-(?<m>\d{1,2})$|^(?<mm>\d{1,2})[./](?<yy>\d{4})$/.exec(typed)?.groups;
  if (digits) {
    const [y, m] = [Number(digits['y'] ?? digits['yy']), Number(digits['m'] ?? digits['mm'])];
    return isYear(y) && m >= 1 && m <= 12 ? [daysOfMonth(y, m)] : [];
  }
  return namedMonths(typed, locale, now).filter((value) => isYear(Number(value.slice(0, 4))));
}

function namedMonths(typed: string, locale: string, now: Date): string[] {
  const match = /^(?<name>\p{L}+)\.?(?: (?:de )?(?<year>\d{2}|\d{4}))?$/u.exec(typed)?.groups;
  const name = match?.['name'] ?? '';
  if (name.length < LEAST) return [];
  const months = monthNames(locale).flatMap((each, at) => (each.startsWith(name) ? [at + 1] : []));
  const year = match?.['year'];
  if (year) return months.map((month) => daysOfMonth(Number(year.length === 2 ? `20${year}` : year), month));
  return months.flatMap((month) => lastYears(month, now).map((each) => daysOfMonth(each, month)));
}

/** Last years in which this month has begun. */
function lastYears(month: number, now: Date): number[] {
  const last = now.getUTCFullYear() - (month > now.getUTCMonth() + 1 ? 1 : 0);
  return Array.from({ length: MOST }, (_, back) => last - back);
}

function monthNames(locale: string): string[] {
  const writer = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, at) => foldText(writer.format(new Date(Date.UTC(2024, at, 1)))));
}
