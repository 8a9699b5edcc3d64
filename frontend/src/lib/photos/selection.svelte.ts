/** Which photos are picked. With shift, all from the one picked last to this one. */
import { SvelteSet } from 'svelte/reactivity';

export class Selection {
  readonly ids = new SvelteSet<string>();
  #last: string | null = null;

  get size(): number {
    return this.ids.size;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** `order` are the photos as they are shown, as far as they are loaded: what lies between two of them is known there. */
  pick(id: string, { range = false, order = [] }: { range?: boolean; order?: readonly string[] } = {}): void {
    const between = range ? this.#between(id, order) : [];
    if (between.length) for (const each of between) this.ids.add(each);
    else if (!this.ids.delete(id)) this.ids.add(id);
    this.#last = id;
  }

  /** All of these, or none of them where all were picked already. */
  pickAll(ids: readonly string[]): void {
    const all = ids.every((id) => this.ids.has(id));
    for (const id of ids) {
      if (all) this.ids.delete(id);
      else this.ids.add(id);
    }
  }

  clear(): void {
    this.ids.clear();
    this.#last = null;
  }

  #between(id: string, order: readonly string[]): readonly string[] {
    const from = this.#last === null ? -1 : order.indexOf(this.#last);
    const to = order.indexOf(id);
    return from < 0 || to < 0 ? [] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
  }
}
