/** The words of the app, in the reader's language: where they are, and which are needed. */
import { untrack } from 'svelte';
import type account from './account/en';
import type albums from './albums/en';
import type en from './en';
import type download from './download/en';
import type guest from './guest/en';
import type hosting from './hosting/en';
import type people from './people/en';
import type search from './search/en';
import { prefer, preferred, speech, type Language, type Plural, type Words } from './speech.svelte';

export { ago, bytes, date, duration, LANGUAGES, monthName, number, rehearse, t } from './speech.svelte';
export type { Language, Plural } from './speech.svelte';

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
  | Paths<typeof guest>
  | Paths<typeof hosting>
  | Paths<typeof people>
  | Paths<typeof search>;

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

/** One after the other: what was asked for last is spoken at the end. */
const speak = (choose: () => Language): Promise<void> =>
  (speaking = speaking.catch(() => undefined).then(() => learn(choose())));

async function learn(wanted: Language): Promise<void> {
  const loaded = await Promise.all([load[wanted](), ...[...needed.keys()].map((part) => more[part][wanted]())]);
  speech.speak(wanted, Object.assign({}, ...loaded.map((each) => each.default)) as Words);
}

export const i18n = {
  get language(): Language {
    return speech.language;
  },
  get locale(): string {
    return speech.locale;
  },
  start: (): Promise<void> => speak(preferred),
  /** The words of this part too, from now on. */
  more(part: Part): Promise<void> {
    const known = needed.get(part);
    if (known) return known;
    const asked = speak(() => untrack(() => speech.language)).catch((error: unknown) => {
      needed.delete(part);
      throw error;
    });
    needed.set(part, asked);
    return asked;
  },
  async choose(wanted: Language): Promise<void> {
    prefer(wanted);
    await speak(() => wanted);
  },
};

/** What has words of its own, once they are there too. */
export const worded = async <T>(part: Part, loading: Promise<T>): Promise<T> =>
  (await Promise.all([loading, i18n.more(part)]))[0];
