/** Which people or faces are picked. With shift, all from the one picked last to this one. */
import { SvelteSet } from 'svelte/reactivity';

export class Picks {
  readonly #ids = new SvelteSet<string>();
  #last: string | null = null;

  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** `order` is what is shown, as it stands there. */
  pick(id: string, isRange: boolean, order: readonly string[]): void {
    const between = isRange ? this.#between(id, order) : [];
    if (between.length) for (const each of between) this.#ids.add(each);
    else if (!this.#ids.delete(id)) this.#ids.add(id);
    this.#last = id;
  }

  clear(): void {
    this.#ids.clear();
    this.#last = null;
  }

  #between(id: string, order: readonly string[]): readonly string[] {
    const from = this.#last === null ? -1 : order.indexOf(this.#last);
    const to = order.indexOf(id);
    return from < 0 || to < 0 ? [] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
  }
}
