/** Suggestions for a typed search, from the server and from local words. */
import { api, unwrap } from '../api/client';
import type { Suggestions } from '../api/types';
import { i18n, t } from '../i18n/i18n.svelte';
import { foldText } from '../ui/textMatch';
import { parseTypedDates } from './dateRanges';
import { chipId, isSame, type Chip } from './searchFilters';

export interface SuggestionOption {
  readonly id: string;
  readonly chip: Chip;
  /** For things whose name is not their value. */
  readonly label?: string;
  readonly face?: string | null;
  readonly photos?: number;
  readonly rest: string;
}

/** Word for a filter in the user's language. */
export interface LocalWord {
  readonly word: string;
  readonly chip: Chip;
}

const MOST = 8;

/** Texts to request suggestions for: the whole text and its last word; `rest` is the text that stays when one is
 * picked.
 */
export function queryTails(text: string): { readonly typed: string; readonly rest: string }[] {
  const whole = text.trim().replace(/\s+/g, ' ');
  const at = whole.lastIndexOf(' ');
  if (!whole) return [];
  const all = { typed: whole, rest: '' };
  return at < 0 ? [all] : [all, { typed: whole.slice(at + 1), rest: whole.slice(0, at) }];
}

/** Suggestions of the server, people first. */
export function serverOptions(found: Suggestions, rest: string): SuggestionOption[] {
  const option = (chip: Chip, more: Partial<SuggestionOption> = {}): SuggestionOption => ({
    id: chipId(chip),
    chip,
    rest,
    ...more,
  });
  return [
    ...found.persons.map((person) =>
      option(
        { kind: 'person', value: person.personId },
        { label: person.displayName, face: person.thumbUrl ?? null, photos: person.photoCount ?? 0 },
      ),
    ),
    ...found.albums.map(({ albumId, title }) => option({ kind: 'album', value: albumId }, { label: title })),
    ...found.tags.map(({ tag, count }) => option({ kind: 'tag', value: tag }, { photos: count })),
    ...found.cameras.map((camera) => option({ kind: 'camera', value: camera })),
    ...found.members.map(({ email, username }) => option({ kind: 'uploader', value: email }, { label: username })),
  ];
}

/** Suggestions without a request: dates, kinds, favorites. */
export function localOptions(text: string, words: readonly LocalWord[], locale: string, now: Date): SuggestionOption[] {
  return queryTails(text).flatMap(({ typed, rest }) => {
    const times = parseTypedDates(typed, locale, now).map((value): Chip => ({ kind: 'when', value }));
    const named = words.filter(({ word }) => typed.length > 1 && foldText(word).startsWith(foldText(typed)));
    return [...times, ...named.map(({ chip }) => chip)].map((chip) => ({ id: chipId(chip), chip, rest }));
  });
}

/** Removes duplicates and chosen filters, and limits the number. */
export function uniqueOptions(options: readonly SuggestionOption[], chosen: readonly Chip[]): SuggestionOption[] {
  const seen = new Set<string>();
  const isNew = ({ id, chip }: SuggestionOption) =>
    !seen.has(id) && seen.add(id) && !chosen.some((other) => isSame(chip, other));
  return options.filter(isNew).slice(0, MOST);
}

/** Requests suggestions when typing pauses, and drops them when it goes on. */
const SOON = 120; // milliseconds
const FEW = 4; // of each kind

export class SearchSuggestions {
  options = $state.raw<readonly SuggestionOption[]>([]);
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | null = null;

  ask(text: string, chosen: readonly Chip[]): void {
    this.#forget();
    if (!text.trim()) this.options = [];
    else this.#waiting = setTimeout(() => void this.#load(text, chosen), SOON);
  }

  end(): void {
    this.#forget();
    this.options = [];
  }

  #forget(): void {
    clearTimeout(this.#waiting);
    this.#asking?.abort();
  }

  /** If the request fails, only local suggestions are shown: the search itself reports the error. */
  async #load(text: string, chosen: readonly Chip[]): Promise<void> {
    const { signal } = (this.#asking = new AbortController());
    const answers = await Promise.all(
      queryTails(text).map(async ({ typed, rest }) => serverOptions(await suggestionsFor(typed, signal), rest)),
    ).catch(() => []);
    if (signal.aborted) return;
    const own = localOptions(text, ownWords(), i18n.locale, new Date());
    this.options = uniqueOptions(
      [...own.filter(({ chip }) => chip.kind === 'when'), ...answers.flat(), ...own],
      chosen,
    );
  }
}

const suggestionsFor = (q: string, signal: AbortSignal): Promise<Suggestions> =>
  unwrap(api.GET('/api/search/suggestions', { params: { query: { q, limit: FEW } }, signal }));

const ownWords = (): LocalWord[] => [
  { word: t('search.photos'), chip: { kind: 'kind', value: 'photo' } },
  { word: t('search.videos'), chip: { kind: 'kind', value: 'video' } },
  { word: t('search.favorites'), chip: { kind: 'favorite', value: 'true' } },
];
