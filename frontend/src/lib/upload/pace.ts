/** How fast it goes, and how long it will take: told only once that can be told honestly. */

const WINDOW = 15_000; // milliseconds that are looked back on
const LEAST = 4_000; // before which nothing is told

interface Mark {
  readonly at: number;
  readonly bytes: number;
}

export class Pace {
  #marks: Mark[] = [];
  #bytes = 0;

  /** So many bytes more have gone. */
  add(bytes: number, at: number): void {
    this.#bytes += bytes;
    this.#marks.push({ at, bytes: this.#bytes });
    this.#forget(at);
  }

  /** After a pause or a break, what was before tells nothing. */
  reset(): void {
    this.#marks = [];
  }

  /** Null while nobody can tell. */
  secondsFor(bytes: number, at: number): number | null {
    this.#forget(at);
    const first = this.#marks[0];
    const last = this.#marks.at(-1);
    if (!first || !last || at - first.at < LEAST || last.bytes === first.bytes) return null;
    return (bytes * (at - first.at)) / 1000 / (last.bytes - first.bytes);
  }

  #forget(at: number): void {
    const from = this.#marks.findIndex((mark) => mark.at >= at - WINDOW);
    if (from !== 0) this.#marks = from < 0 ? [] : this.#marks.slice(from);
  }
}
