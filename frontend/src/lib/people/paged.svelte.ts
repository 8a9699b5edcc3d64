/** What the server tells page by page, with what was changed here and is not told by it yet. */

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | null;
}
type Load<T> = (cursor: string | undefined, limit: number) => Promise<Page<T>>;
/** What is different about something; null for what is not there any more. */
type Change<T> = Partial<T> | null;

const PAGE = 100;
const MOST = 500; // that the server tells at once

export class Paged<T extends object> {
  isComplete = $state(false);
  #told = $state.raw<readonly T[]>([]);
  #changes = $state.raw<ReadonlyMap<string, Change<T>>>(new Map());
  readonly items = $derived(this.#changed(this.#told, this.#changes));
  readonly #load: Load<T>;
  readonly #idOf: (item: T) => string;
  #cursor: string | undefined;
  #more: Promise<void> | null = null;
  #anew: Promise<void> | null = null;
  #turn = 0;

  constructor(load: Load<T>, idOf: (item: T) => string) {
    this.#load = load;
    this.#idOf = idOf;
  }

  /** One page more; the same one where it is asked for twice. */
  loadMore(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return (this.#more ??= this.#next().finally(() => (this.#more = null)));
  }

  /** As much as is shown, anew. Asked for again meanwhile, it loads once more: what was under way is old by then. */
  reload(): Promise<void> {
    this.#turn++;
    return (this.#anew ??= this.#again().finally(() => (this.#anew = null)));
  }

  /** Shows the change at once. When the server has answered, it stays, or what `now` makes of the answer; when it has
   * refused, all is as before. */
  async change<A>(
    ids: readonly string[],
    change: Change<T>,
    asked: Promise<A>,
    now: (answer: A) => readonly T[] = () => [],
  ): Promise<A> {
    this.#changes = new Map([...this.#changes, ...ids.map((id) => [id, change] as const)]);
    try {
      const answer = await asked;
      this.#told = this.#changed(this.#told, new Map(ids.map((id) => [id, change])));
      this.#put(now(answer));
      return answer;
    } finally {
      this.#turn++;
      this.#changes = new Map([...this.#changes].filter(([id, each]) => !(ids.includes(id) && each === change)));
    }
  }

  #put(items: readonly T[]): void {
    const now = new Map(items.map((item) => [this.#idOf(item), item]));
    this.#told = this.#told.map((item) => now.get(this.#idOf(item)) ?? item);
  }

  #changed(told: readonly T[], changes: ReadonlyMap<string, Change<T>>): readonly T[] {
    if (!changes.size) return told;
    return told.flatMap((item) => {
      const change = changes.get(this.#idOf(item));
      return change === null ? [] : [change ? { ...item, ...change } : item];
    });
  }

  async #next(): Promise<void> {
    const page = await this.#load(this.#cursor, PAGE);
    if (this.#anew) return;
    const known = new Set(this.#told.map(this.#idOf));
    this.#take([...this.#told, ...page.items.filter((item) => !known.has(this.#idOf(item)))], page);
  }

  async #again(): Promise<void> {
    let turn: number;
    let items: readonly T[];
    let page: Page<T>;
    do {
      turn = this.#turn;
      const wanted = Math.max(PAGE, this.#told.length);
      page = await this.#load(undefined, Math.min(MOST, wanted));
      items = page.items;
      while (page.next && items.length < wanted) {
        page = await this.#load(page.next, Math.min(MOST, wanted - items.length));
        items = [...items, ...page.items];
      }
    } while (turn !== this.#turn);
    this.#take(items, page);
  }

  #take(items: readonly T[], last: Page<T>): void {
    this.#told = items;
    this.#cursor = last.next ?? undefined;
    this.isComplete = this.#cursor === undefined;
  }
}
