/** Suggestions for what is being typed: asked for when the fingers rest, and forgotten when they go on. */
import { api, told } from '../api/client';
import type { Suggestions } from '../api/shapes';
import { i18n, t } from '../i18n/i18n.svelte';
import type { Chip } from './filters';
import { offered, ownOptions, tailsOf, toldOptions, type Option, type Word } from './suggestions';

const SOON = 120; // milliseconds
const FEW = 4; // of each kind

export class Suggesting {
  options = $state.raw<readonly Option[]>([]);
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

  /** [Note: alone] Where the server does not tell, what needs none is offered: the search itself says what is wrong. */
  async #load(text: string, chosen: readonly Chip[]): Promise<void> {
    const { signal } = (this.#asking = new AbortController());
    const answers = await Promise.all(
      tailsOf(text).map(async ({ typed, rest }) => toldOptions(await suggestionsFor(typed, signal), rest)),
    ).catch(() => []);
    if (signal.aborted) return;
    const own = ownOptions(text, ownWords(), i18n.locale, new Date());
    this.options = offered([...own.filter(({ chip }) => chip.kind === 'when'), ...answers.flat(), ...own], chosen);
  }
}

const suggestionsFor = (q: string, signal: AbortSignal): Promise<Suggestions> =>
  told(api.GET('/api/search/suggestions', { params: { query: { q, limit: FEW } }, signal }));

const ownWords = (): Word[] => [
  { word: t('search.photos'), chip: { kind: 'kind', value: 'photo' } },
  { word: t('search.videos'), chip: { kind: 'kind', value: 'video' } },
  { word: t('search.favourites'), chip: { kind: 'favorite', value: 'true' } },
];
