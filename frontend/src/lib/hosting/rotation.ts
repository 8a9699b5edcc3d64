/** Which photo a wall shows large, one after the other: those that have just come first, in the order that they came;
 * else the one that was not shown for longest, the newest of those. It holds what the wall holds, and no more.
 */
export class Rotation {
  #all: readonly string[] = [];
  #fresh: readonly string[] = [];
  readonly #shown = new Map<string, number>();
  #turn = 0;
  #isNew = true;

  /** Those that have come and were not shown yet. */
  get waiting(): number {
    return this.#fresh.length;
  }

  /** All that may be shown from now on, the newest first. */
  put(ids: readonly string[]): void {
    const [there, before] = [new Set(ids), new Set(this.#all)];
    const came = this.#isNew ? [] : ids.filter((id) => !before.has(id)).reverse();
    this.#fresh = [...this.#fresh.filter((id) => there.has(id)), ...came];
    for (const id of this.#shown.keys()) if (!there.has(id)) this.#shown.delete(id);
    this.#all = ids;
    this.#isNew = this.#isNew && !ids.length;
  }

  /** The next one, other than `now` where there is another; null where there is none at all. */
  next(now: string | null = null): string | null {
    const others = this.#all.filter((id) => id !== now);
    const fresh = this.#fresh.find((id) => id !== now);
    const found = fresh ?? longestAgo(others, this.#shown) ?? (now !== null && this.#all.includes(now) ? now : null);
    if (found !== null) this.#mark(found);
    return found;
  }

  #mark(id: string): void {
    this.#fresh = this.#fresh.filter((each) => each !== id);
    this.#shown.set(id, ++this.#turn);
  }
}

function longestAgo(ids: readonly string[], shown: ReadonlyMap<string, number>): string | null {
  let found: string | null = null;
  for (const id of ids) if (found === null || (shown.get(id) ?? 0) < (shown.get(found) ?? 0)) found = id;
  return found;
}
