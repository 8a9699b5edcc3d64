/** What a part of a page shows, as the server tells it: asked for when the part opens, and again after each change. */
import { failed } from '../ui/failed';

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<unknown>(null);
  readonly #ask: () => Promise<T>;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** Never throws: where nothing is shown yet the error stands in its place, else it is a toast. */
  load = async (): Promise<void> => {
    this.error = null;
    try {
      this.value = await this.#ask();
    } catch (error) {
      if (this.value === null) this.error = error;
      else failed(error);
    }
  };
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string | null;
}

/** A list that comes page by page. */
export class Paged<T> extends Loaded<readonly T[]> {
  cursor = $state.raw<string | null>(null);
  readonly #page: (cursor: string | undefined) => Promise<Page<T>>;

  constructor(page: (cursor: string | undefined) => Promise<Page<T>>) {
    super(async () => this.#taken(await page(undefined)));
    this.#page = page;
  }

  async more(): Promise<void> {
    if (this.cursor === null) return;
    const before = this.value ?? [];
    this.value = [...before, ...this.#taken(await this.#page(this.cursor))];
  }

  #taken({ items, cursor }: Page<T>): readonly T[] {
    this.cursor = cursor ?? null;
    return items;
  }
}
