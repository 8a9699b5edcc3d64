/** Message files of the app by language and part, loaded on demand. */
import { untrack } from 'svelte';
import type account from './account/en';
import type albums from './albums/en';
import type download from './download/en';
import type en from './en';
import type guest from './guest/en';
import type people from './people/en';
import type search from './search/en';
import type shareLinks from './share-links/en';
import {
  savePreferredLanguage,
  preferredLanguage,
  translation,
  type Language,
  type Plural,
  type MessageTree,
} from './translate.svelte';

export { ago, bytes, date, duration, LANGUAGES, monthName, number, warmUpFormatters, t } from './translate.svelte';
export type { Language, Plural } from './translate.svelte';

/** Every language has the same keys, and the form `other` of each plural. */
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
  | Paths<typeof shareLinks>
  | Paths<typeof people>
  | Paths<typeof search>;

const load: Record<Language, () => Promise<{ default: Messages }>> = {
  en: () => import('./en'),
  de: () => import('./de'),
  fr: () => import('./fr'),
  es: () => import('./es'),
};

type Load<T> = Record<Language, () => Promise<{ default: Messages<T> }>>;

/** Messages that most pages do not need. `account` has those of sign-in, profile and administration. */
const loadPart: {
  readonly account: Load<typeof account>;
  readonly albums: Load<typeof albums>;
  readonly download: Load<typeof download>;
  readonly 'share-links': Load<typeof shareLinks>;
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
  'share-links': {
    en: () => import('./share-links/en'),
    de: () => import('./share-links/de'),
    fr: () => import('./share-links/fr'),
    es: () => import('./share-links/es'),
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
export type MessagePart = keyof typeof loadPart;

const needed = new Map<MessagePart, Promise<void>>();
let speaking: Promise<void> = Promise.resolve();

/** Changes of language run one after the other, so that the last one wins. */
const speak = (choose: () => Language): Promise<void> =>
  (speaking = speaking.catch(() => undefined).then(() => learn(choose())));

async function learn(wanted: Language): Promise<void> {
  const loaded = await Promise.all([load[wanted](), ...[...needed.keys()].map((part) => loadPart[part][wanted]())]);
  translation.setMessages(wanted, Object.assign({}, ...loaded.map((each) => each.default)) as MessageTree);
}

export const i18n = {
  get language(): Language {
    return translation.language;
  },
  get locale(): string {
    return translation.locale;
  },
  start: (): Promise<void> => speak(preferredLanguage),
  /** Loads the messages of this part, too. */
  more(part: MessagePart): Promise<void> {
    const known = needed.get(part);
    if (known) return known;
    const asked = speak(() => untrack(() => translation.language)).catch((error: unknown) => {
      needed.delete(part);
      throw error;
    });
    needed.set(part, asked);
    return asked;
  },
  async choose(wanted: Language): Promise<void> {
    savePreferredLanguage(wanted);
    await speak(() => wanted);
  },
};

/** A loaded component together with its messages. */
export const withMessages = async <T>(part: MessagePart, loading: Promise<T>): Promise<T> =>
  (await Promise.all([loading, i18n.more(part)]))[0];
