/** Which photos are picked. With shift, all from the one picked last to this one. */
import { SvelteSet } from 'svelte/reactivity';

/** The photos from one to the other, both with them, as they are shown; none where nobody knows. */
export type Between = (from: string, to: string) => readonly string[] | Promise<readonly string[]>;

export class Selection {
  readonly ids = new SvelteSet<string>();
  #last = $state<string | null>(null);

  get size(): number {
    return this.ids.size;
  }

  /** The one that was picked last. */
  get last(): string | null {
    return this.#last;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** `order` are the things as they are shown, where all of them are there: with `range`, what lies between is picked. */
  pick(id: string, { range = false, order = [] }: { range?: boolean; order?: readonly string[] } = {}): void {
    const between = range && this.#last !== null ? betweenIn(order, this.#last, id) : [];
    if (between.length) this.#add(between);
    else if (!this.ids.delete(id)) this.ids.add(id);
    this.#last = id;
  }

  /** The same for what has to be loaded first; this one alone where none was picked, or nobody knows what is between. */
  async pickTo(id: string, between: Between): Promise<void> {
    const from = this.#last;
    const ids = from === null || from === id ? [] : await between(from, id);
    if (!ids.length) return this.pick(id);
    this.#add(ids);
    this.#last = id;
  }

  /** All of these, or none of them where all were picked already. */
  pickAll(ids: readonly string[]): void {
    if (ids.every((id) => this.ids.has(id))) for (const id of ids) this.ids.delete(id);
    else this.#add(ids);
    this.#last = ids.at(-1) ?? this.#last;
  }

  drop(ids: Iterable<string>): void {
    for (const id of ids) this.ids.delete(id);
  }

  clear(): void {
    this.ids.clear();
    this.#last = null;
  }

  #add(ids: readonly string[]): void {
    for (const id of ids) this.ids.add(id);
  }
}

function betweenIn(order: readonly string[], from: string, to: string): readonly string[] {
  const places = [order.indexOf(from), order.indexOf(to)];
  const [first, last] = [Math.min(...places), Math.max(...places)];
  return first < 0 ? [] : order.slice(first, last + 1);
}
