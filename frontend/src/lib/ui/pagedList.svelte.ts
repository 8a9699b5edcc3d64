/** List loaded page by page from the API, with optimistic changes. */

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; none after the last one. */
  readonly next?: string | null;
}
/** Loads the page behind a cursor; with `limit`, at least as many items if there are so many. */
export type LoadPage<T> = (cursor: string | undefined, limit?: number) => Promise<ListPage<T>>;
/** New values of some fields; null for an item that was removed. */
type Change<T> = Partial<T> | null;

export const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 500; // of the server

/** Query parameters of a page. */
export const pageQuery = (cursor: string | undefined, limit = 0) => ({
  limit: Math.max(PAGE_SIZE, limit),
  ...(cursor !== undefined && { cursor }),
});

export class PagedList<T extends object> {
  isComplete = $state(false);
  /** The page requested last could not be loaded. */
  hasFailed = $state(false);
  #loaded = $state.raw<readonly T[]>([]);
  #changes = $state.raw<ReadonlyMap<unknown, Change<T>>>(new Map());
  readonly #shown = $derived(this.#withChanges(this.#loaded, this.#changes));
  readonly #load: LoadPage<T>;
  readonly #idOf: (item: T) => unknown;
  #cursor: string | undefined;
  #loading: Promise<void> | null = null;
  #reloading: Promise<void> | null = null;
  /** Counts replacements of the whole list: a page requested before one is dropped. */
  #generation = 0;
  /** Counts reasons to reload: a reload that began before the last one starts over. */
  #revision = 0;

  /** Items without an id are all different. */
  constructor(load: LoadPage<T>, idOf: (item: T) => unknown = (item) => item) {
    this.#load = load;
    this.#idOf = idOf;
  }

  get items(): readonly T[] {
    return this.#shown;
  }
  set items(items: readonly T[]) {
    this.#loaded = items;
  }

  get count(): number {
    return this.items.length;
  }

  /** Loads the next page; calls while it loads wait for the same one. */
  loadMore(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return (this.#loading ??= this.#track(this.#loadPage(this.#generation, this.#cursor)));
  }

  /** Loads the first page again and drops the others; the items stay until it is there. Requests under way are ignored. */
  reset(): Promise<void> {
    return (this.#loading = this.#track(this.#loadPage(++this.#generation, undefined)));
  }

  /** Loads as many items as are shown again and replaces them at once, so that unchanged ones do not move. */
  reload(): Promise<void> {
    if (!this.#loaded.length) return this.reset();
    this.#revision++;
    return (this.#reloading ??= this.#reload().finally(() => (this.#reloading = null)));
  }

  /** Puts new items at the top; resets the list if there are more of them than a page has. */
  async refresh(): Promise<void> {
    const generation = this.#generation;
    const { items } = await this.#load(undefined);
    if (generation !== this.#generation) return;
    const known = this.#idsOf(this.#loaded);
    if (items.length && !items.some((item) => known.has(this.#idOf(item)))) return this.reset();
    const newest = this.#idsOf(items);
    this.#loaded = [...items, ...this.#loaded.filter((item) => !newest.has(this.#idOf(item)))];
  }

  /** Shows the change at once, and undoes it if the request fails. `replace` picks changed items from the response. */
  async change<R>(
    ids: readonly string[],
    change: Change<T>,
    request: Promise<R>,
    replace: (response: R) => readonly T[] = () => [],
  ): Promise<R> {
    this.#changes = new Map([...this.#changes, ...ids.map((id) => [id, change] as const)]);
    try {
      const response = await request;
      this.#loaded = this.#withChanges(this.#loaded, new Map(ids.map((id) => [id, change])));
      this.#replace(replace(response));
      return response;
    } finally {
      this.#revision++;
      this.#changes = new Map(
        [...this.#changes].filter(([id, each]) => !(ids.includes(id as string) && each === change)),
      );
    }
  }

  drop(ids: readonly string[]): void {
    const dropped = new Set<unknown>(ids);
    this.#loaded = this.#loaded.filter((item) => !dropped.has(this.#idOf(item)));
  }

  /** Takes over the fields of an item that is in the list. */
  update(item: T): void {
    const id = this.#idOf(item);
    this.#loaded = this.#loaded.map((each) => (this.#idOf(each) === id ? { ...each, ...item } : each));
  }

  #replace(items: readonly T[]): void {
    const byId = new Map(items.map((item) => [this.#idOf(item), item]));
    this.#loaded = this.#loaded.map((item) => byId.get(this.#idOf(item)) ?? item);
  }

  #withChanges(items: readonly T[], changes: ReadonlyMap<unknown, Change<T>>): readonly T[] {
    if (!changes.size) return items;
    return items.flatMap((item) => {
      const change = changes.get(this.#idOf(item));
      return change === null ? [] : [change ? { ...item, ...change } : item];
    });
  }

  #idsOf(items: readonly T[]): ReadonlySet<unknown> {
    return new Set(items.map(this.#idOf));
  }

  #track(page: Promise<void>): Promise<void> {
    this.hasFailed = false;
    const end = (hasFailed: boolean) => {
      if (this.#loading !== loading) return;
      this.#loading = null;
      this.hasFailed = hasFailed;
    };
    const loading = page.then(
      () => end(false),
      (error: unknown) => {
        end(true);
        throw error;
      },
    );
    return loading;
  }

  async #loadPage(generation: number, cursor: string | undefined): Promise<void> {
    const { items, next } = await this.#load(cursor);
    if (generation !== this.#generation) return;
    const known = this.#idsOf(cursor === undefined ? [] : this.#loaded);
    const added = items.filter((item) => !known.has(this.#idOf(item)));
    this.#set(cursor === undefined ? items : [...this.#loaded, ...added], next ?? undefined);
  }

  async #reload(): Promise<void> {
    const generation = this.#generation;
    let revision: number;
    let items: readonly T[];
    let cursor: string | undefined;
    do {
      [revision, items, cursor] = [this.#revision, [], undefined];
      do {
        const missing = this.#loaded.length - items.length;
        const page: ListPage<T> = await this.#load(cursor, Math.min(MAX_PAGE_SIZE, missing));
        if (generation !== this.#generation) return;
        items = [...items, ...page.items];
        cursor = page.next ?? undefined;
      } while (cursor !== undefined && items.length < this.#loaded.length);
    } while (revision !== this.#revision);
    this.#generation++;
    this.#set(items, cursor);
    if (!this.#loading) return;
    this.#loading = null; // a page that follows the items before the reload
    await this.loadMore();
  }

  #set(items: readonly T[], cursor: string | undefined): void {
    this.#loaded = items;
    this.#cursor = cursor;
    this.isComplete = cursor === undefined;
    this.hasFailed = false;
  }
}
