/** Pairs of persons who may be one, asked one after the other. */
import type { Suggestion } from '../api/shapes';

type Load = () => Promise<readonly Suggestion[]>;

export class SuggestionQueue {
  #told = $state.raw<readonly Suggestion[]>([]);
  /** Answered or passed over here: not asked again, though the server may tell of them for a moment still. */
  #done = $state.raw<ReadonlySet<string>>(new Set());
  readonly #waiting = $derived(this.#told.filter(({ suggestionId }) => !this.#done.has(suggestionId)));
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

  /** Anew from the server. Who is being asked about stays, as long as that is a question still. */
  async load(): Promise<void> {
    const turn = ++this.#turn;
    const told = await this.#load();
    if (turn !== this.#turn) return;
    const asked = this.current?.suggestionId;
    const same = told.filter(({ suggestionId }) => suggestionId === asked);
    this.#told = [...same, ...told.filter(({ suggestionId }) => suggestionId !== asked)];
  }

  /** On to the next one. */
  pass(suggestionId: string): void {
    this.#done = new Set([...this.#done, suggestionId]);
  }

  /** It was not answered after all: ask again, next. */
  putBack(suggestion: Suggestion): void {
    const { suggestionId } = suggestion;
    this.#done = new Set([...this.#done].filter((each) => each !== suggestionId));
    this.#told = [suggestion, ...this.#told.filter((each) => each.suggestionId !== suggestionId)];
  }
}
