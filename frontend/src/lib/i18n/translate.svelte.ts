/** Translation of keys, and dates and numbers in the user's language. The messages come from `i18n.svelte.ts` in the
 * app and from `guest/guestMessages.ts` on the guests' page.
 */
import { yieldToBrowser } from '../yieldToBrowser';
import type { Key } from './i18n.svelte';

/** Plural forms of a message. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type MessageTree = { readonly [key: string]: string | Plural | MessageTree };
type Values = Readonly<Record<string, string | number>>;

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'sparks.language';
const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|ur|yi)\b/;
const isLanguage = (text: string): text is Language => text in LANGUAGES;

/** The language chosen in this browser, else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const asked = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  return asked.map((each) => each.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

export const savePreferredLanguage = (wanted: Language): void => localStorage.setItem(KEY, wanted);

let language = $state<Language>(preferredLanguage());
let locale = $state('en');
let words = $state.raw<MessageTree>({});

export const translation = {
  get language(): Language {
    return language;
  },
  get locale(): string {
    return locale;
  },
  /** Dates and numbers use the browser's own locale if it is one of the language. */
  setMessages(wanted: Language, learnt: MessageTree): void {
    words = learnt;
    language = wanted;
    locale = navigator.languages.find((each) => each.toLowerCase().startsWith(wanted)) ?? wanted;
    document.documentElement.lang = wanted;
    document.documentElement.dir = RIGHT_TO_LEFT.test(wanted) ? 'rtl' : 'ltr';
  },
};

/** Text of a key, with `{name}` filled in; a plural is chosen by `n`. */
export function t(key: Key, values: Values = {}): string {
  let found: string | Plural | MessageTree | undefined = words;
  for (const part of key.split('.')) found = (found as MessageTree | undefined)?.[part];
  const text = typeof found === 'object' ? form(found as Plural, Number(values['n'])) : (found ?? key);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => shown(values[name] ?? ''));
}

function form(plural: Plural, n: number): string {
  return plural[formatter(Intl.PluralRules, locale).select(n)] ?? plural.other;
}

const shown = (value: string | number): string => (typeof value === 'number' ? number(value) : value);

/** Small numbers look the same in all languages, and a formatter takes long to make. */
export const number = (value: number): string =>
  Number.isInteger(value) && value >= 0 && value < 1000
    ? String(value)
    : formatter(Intl.NumberFormat, locale).format(value);

/** Such as `3.2 GB`. */
export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
  const power = Math.min(units.length - 1, value > 0 ? Math.floor(Math.log10(value) / 3) : 0);
  const style = { style: 'unit', unit: units[power], maximumSignificantDigits: 3, unitDisplay: 'short' } as const;
  return formatter(Intl.NumberFormat, locale, style).format(value / 1000 ** power);
}

/** Such as `5 minutes`, rounded up. */
export function duration(seconds: number): string {
  const [unit, size] =
    seconds > 3600 ? (['hour', 3600] as const) : seconds > 60 ? (['minute', 60] as const) : (['second', 1] as const);
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return formatter(Intl.NumberFormat, locale, style).format(Math.ceil(seconds / size));
}

export function date(time: string | Date, style: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }): string {
  return formatter(Intl.DateTimeFormat, locale, style).format(typeof time === 'string' ? new Date(time) : time);
}

/** Month such as `2025-08` as text. */
export function monthName(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return date(new Date(Date.UTC(year ?? 1970, (number ?? 1) - 1, 1)), {
    year: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}

/** The first formatters take as long to make as a page to draw. So they are made while the page waits for its photos,
 * in pieces.
 */
export async function warmUpFormatters(): Promise<void> {
  await yieldToBrowser();
  monthName('2000-01');
  await yieldToBrowser();
  date(new Date(), { dateStyle: 'long' });
  await yieldToBrowser();
  formatter(Intl.PluralRules, locale);
}

/** Such as `5 minutes ago`. */
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
  return formatter(Intl.RelativeTimeFormat, locale, { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}

type Kind<Style, Writer> = new (locale: string, style?: Style) => Writer;

const made = new Map<string, unknown>();

/** Formatter of this kind and style, made once: `formatter(Intl.NumberFormat, 'de', { style: 'percent' })`. */
export function formatter<Style, Writer>(kind: Kind<Style, Writer>, locale: string, style?: Style): Writer {
  const key = `${kind.name} ${locale} ${JSON.stringify(style)}`;
  const known = (made.get(key) as Writer | undefined) ?? new kind(locale, style);
  made.set(key, known);
  return known;
}
