/** The words of the app, in the reader's language; dates and numbers as they are written there. */
import { untrack } from 'svelte';
import type account from './account/en';
import type albums from './albums/en';
import type en from './en';
import type hosting from './hosting/en';
import type people from './people/en';
import type search from './search/en';
import type download from './download/en';
import { writer } from './writers';

/** How many of something: the forms that a language needs. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
type Words = { readonly [key: string]: string | Plural | Words };

/** Every language has these keys, and a form for `other` where there are forms. */
export type Messages<T = typeof en> = {
  readonly [K in keyof T]: T[K] extends string ? string : T[K] extends { other: string } ? Plural : Messages<T[K]>;
};

type Paths<T> = {
  [K in keyof T & string]: T[K] extends string | { other: string } ? K : `${K}.${Paths<T[K]>}`;
}[keyof T & string];
export type Key =
  | Paths<typeof en>
  | Paths<typeof account>
  | Paths<typeof albums>
  | Paths<typeof download>
  | Paths<typeof hosting>
  | Paths<typeof people>
  | Paths<typeof search>;
type Values = Readonly<Record<string, string | number>>;

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'sparks.language';
const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|ur|yi)\b/;
const load: Record<Language, () => Promise<{ default: Messages }>> = {
  en: () => import('./en'),
  de: () => import('./de'),
  fr: () => import('./fr'),
  es: () => import('./es'),
};

type Load<T> = Record<Language, () => Promise<{ default: Messages<T> }>>;

/** What most pages do without: it comes when it is needed. `account` is of doors, profiles and administration. */
const more: {
  readonly account: Load<typeof account>;
  readonly albums: Load<typeof albums>;
  readonly download: Load<typeof download>;
  readonly hosting: Load<typeof hosting>;
  readonly people: Load<typeof people>;
  readonly search: Load<typeof search>;
} = {
  account: {
    en: () => import('./account/en'),
    de: () => import('./account/de'),
    fr: () => import('./account/fr'),
    es: () => import('./account/es'),
  },
  albums: {
    en: () => import('./albums/en'),
    de: () => import('./albums/de'),
    fr: () => import('./albums/fr'),
    es: () => import('./albums/es'),
  },
  download: {
    en: () => import('./download/en'),
    de: () => import('./download/de'),
    fr: () => import('./download/fr'),
    es: () => import('./download/es'),
  },
  hosting: {
    en: () => import('./hosting/en'),
    de: () => import('./hosting/de'),
    fr: () => import('./hosting/fr'),
    es: () => import('./hosting/es'),
  },
  people: {
    en: () => import('./people/en'),
    de: () => import('./people/de'),
    fr: () => import('./people/fr'),
    es: () => import('./people/es'),
  },
  search: {
    en: () => import('./search/en'),
    de: () => import('./search/de'),
    fr: () => import('./search/fr'),
    es: () => import('./search/es'),
  },
};
export type Part = keyof typeof more;

const needed = new Map<Part, Promise<void>>();
let speaking: Promise<void> = Promise.resolve();
const isLanguage = (text: string): text is Language => text in LANGUAGES;

/** What was chosen here, else the first that the browser asks for and we have. */
function preferred(): Language {
  const asked = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  return asked.map((each) => each.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

let language = $state<Language>(preferred());
let locale = $state('en');
let words = $state.raw<Words>({});

/** One after the other: what was asked for last is spoken at the end. */
const speak = (choose: () => Language): Promise<void> =>
  (speaking = speaking.catch(() => undefined).then(() => learn(choose())));

/** Dates and numbers go by the browser's own locale where that is one of the language. */
async function learn(wanted: Language): Promise<void> {
  const loaded = await Promise.all([load[wanted](), ...[...needed.keys()].map((part) => more[part][wanted]())]);
  words = Object.assign({}, ...loaded.map((each) => each.default)) as Words;
  language = wanted;
  locale = navigator.languages.find((each) => each.toLowerCase().startsWith(wanted)) ?? wanted;
  document.documentElement.lang = wanted;
  document.documentElement.dir = RIGHT_TO_LEFT.test(wanted) ? 'rtl' : 'ltr';
}

export const i18n = {
  get language(): Language {
    return language;
  },
  get locale(): string {
    return locale;
  },
  start: (): Promise<void> => speak(preferred),
  /** The words of this part too, from now on. */
  more(part: Part): Promise<void> {
    const known = needed.get(part);
    if (known) return known;
    const asked = speak(() => untrack(() => language)).catch((error: unknown) => {
      needed.delete(part);
      throw error;
    });
    needed.set(part, asked);
    return asked;
  },
  async choose(wanted: Language): Promise<void> {
    localStorage.setItem(KEY, wanted);
    await speak(() => wanted);
  },
};

/** What has words of its own, once they are there too. */
export const worded = async <T>(part: Part, loading: Promise<T>): Promise<T> =>
  (await Promise.all([loading, i18n.more(part)]))[0];

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
