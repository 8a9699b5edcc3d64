/** What is spoken on this page: the words that were learnt, and dates and numbers as they are written in their language.
 * Where the words come from is another's to know: the app's from `i18n.svelte.ts`, the guests' from `guest/words.ts`.
 */
import type { Key } from './i18n.svelte';
import { pause } from '../ui/pause';
import { writer } from './writers';

/** How many of something: the forms that a language needs. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type Words = { readonly [key: string]: string | Plural | Words };
type Values = Readonly<Record<string, string | number>>;

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'sparks.language';
const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|ur|yi)\b/;
const isLanguage = (text: string): text is Language => text in LANGUAGES;

/** What was chosen here, else the first that the browser asks for and we have. */
export function preferred(): Language {
  const asked = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  return asked.map((each) => each.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

export const prefer = (wanted: Language): void => localStorage.setItem(KEY, wanted);

let language = $state<Language>(preferred());
let locale = $state('en');
let words = $state.raw<Words>({});

export const speech = {
  get language(): Language {
    return language;
  },
  get locale(): string {
    return locale;
  },
  /** From now on. Dates and numbers go by the browser's own locale where that is one of the language. */
  speak(wanted: Language, learnt: Words): void {
    words = learnt;
    language = wanted;
    locale = navigator.languages.find((each) => each.toLowerCase().startsWith(wanted)) ?? wanted;
    document.documentElement.lang = wanted;
    document.documentElement.dir = RIGHT_TO_LEFT.test(wanted) ? 'rtl' : 'ltr';
  },
};

/** The text of a key, with `{name}` filled in; a plural goes by `n`. */
export function t(key: Key, values: Values = {}): string {
  let found: string | Plural | Words | undefined = words;
  for (const part of key.split('.')) found = (found as Words | undefined)?.[part];
  const text = typeof found === 'object' ? form(found as Plural, Number(values['n'])) : (found ?? key);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => shown(values[name] ?? ''));
}

function form(plural: Plural, n: number): string {
  return plural[writer(Intl.PluralRules, locale).select(n)] ?? plural.other;
}

const shown = (value: string | number): string => (typeof value === 'number' ? number(value) : value);

/** [Note: few digits] Most numbers are written alike in every language of ours, and a writer takes a while to make. */
export const number = (value: number): string =>
  Number.isInteger(value) && value >= 0 && value < 1000
    ? String(value)
    : writer(Intl.NumberFormat, locale).format(value);

/** As `3.2 GB`. */
export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
  const power = Math.min(units.length - 1, value > 0 ? Math.floor(Math.log10(value) / 3) : 0);
  const style = { style: 'unit', unit: units[power], maximumSignificantDigits: 3, unitDisplay: 'short' } as const;
  return writer(Intl.NumberFormat, locale, style).format(value / 1000 ** power);
}

/** As `5 minutes`, never less than it takes. */
export function duration(seconds: number): string {
  const [unit, size] =
    seconds > 3600 ? (['hour', 3600] as const) : seconds > 60 ? (['minute', 60] as const) : (['second', 1] as const);
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return writer(Intl.NumberFormat, locale, style).format(Math.ceil(seconds / size));
}

export function date(time: string | Date, style: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }): string {
  return writer(Intl.DateTimeFormat, locale, style).format(typeof time === 'string' ? new Date(time) : time);
}

/** A month such as `2025-08`, in words. */
export function monthName(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return date(new Date(Date.UTC(year ?? 1970, (number ?? 1) - 1, 1)), {
    year: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}

/** [Note: rehearsal] What writes the first dates takes as long to make as a page to draw. So it is made while the page
 * waits for its photos, in pieces between which something else may be done.
 */
export async function rehearse(): Promise<void> {
  await pause();
  monthName('2000-01');
  await pause();
  date(new Date(), { dateStyle: 'long' });
  await pause();
  writer(Intl.PluralRules, locale);
}

/** As `5 minutes ago`. */
export function ago(time: string, now: number = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const steps = [
    ['year', 31_557_600],
    ['month', 2_629_800],
    ['week', 604_800],
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return writer(Intl.RelativeTimeFormat, locale, { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}
