/** Store of the pairs of persons who may be one, asked in turn. */
import type { Suggestion } from '../api/types';

type Load = () => Promise<readonly Suggestion[]>;

export class MergeSuggestions {
  #loaded = $state.raw<readonly Suggestion[]>([]);
  /** Pairs answered or skipped here: they are not asked again, though the server may still list them. */
  #done = $state.raw<ReadonlySet<string>>(new Set());
  readonly #waiting = $derived(this.#loaded.filter(({ suggestionId }) => !this.#done.has(suggestionId)));
  readonly #load: Load;
  #turn = 0;

  constructor(load: Load) {
    this.#load = load;
  }

  get current(): Suggestion | null {
    return this.#waiting[0] ?? null;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Loads the pairs; the current one stays first if it is still open. */
  async load(): Promise<void> {
    const turn = ++this.#turn;
    const loaded = await this.#load();
    if (turn !== this.#turn) return;
    const asked = this.current?.suggestionId;
    const same = loaded.filter(({ suggestionId }) => suggestionId === asked);
    this.#loaded = [...same, ...loaded.filter(({ suggestionId }) => suggestionId !== asked)];
  }

  /** Goes on to the next pair. */
  pass(suggestionId: string): void {
    this.#done = new Set([...this.#done, suggestionId]);
  }

  /** Asks again about a pair whose answer failed. */
  putBack(suggestion: Suggestion): void {
    const { suggestionId } = suggestion;
    this.#done = new Set([...this.#done].filter((each) => each !== suggestionId));
    this.#loaded = [suggestion, ...this.#loaded.filter((each) => each.suggestionId !== suggestionId)];
  }
}
