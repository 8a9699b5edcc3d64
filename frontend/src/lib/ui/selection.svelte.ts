/** Selected ids, with ranges by shift. */
import { SvelteSet } from 'svelte/reactivity';

/** Ids from one to the other, both included, in the order shown; none if that is unknown. */
export type IdsBetween = (from: string, to: string) => readonly string[] | Promise<readonly string[]>;

export class Selection {
  readonly ids = new SvelteSet<string>();
  #last = $state<string | null>(null);

  get size(): number {
    return this.ids.size;
  }

  /** The id selected last. */
  get last(): string | null {
    return this.#last;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** `order` has the ids as they are shown: with `range`, all from the last selected one to this one are selected. */
  toggle(id: string, { range = false, order = [] }: { range?: boolean; order?: readonly string[] } = {}): void {
    const between = range && this.#last !== null ? betweenIn(order, this.#last, id) : [];
    if (between.length) this.#add(between);
    else if (!this.ids.delete(id)) this.ids.add(id);
    this.#last = id;
  }

  /** Selects all from the last selected id to this one, which may have to be loaded; only this one if none was selected
   * or the range is unknown.
   */
  async extendTo(id: string, between: IdsBetween): Promise<void> {
    const from = this.#last;
    const ids = from === null || from === id ? [] : await between(from, id);
    if (!ids.length) return this.toggle(id);
    this.#add(ids);
    this.#last = id;
  }

  /** Selects all of these, or none of them if all were selected. */
  toggleAll(ids: readonly string[]): void {
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
