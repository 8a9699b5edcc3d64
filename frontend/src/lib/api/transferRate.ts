/** Transfer rate of recent seconds and the time left. They are reported only after a few seconds, when they are
 * reliable.
 */

const WINDOW = 15_000; // milliseconds that are measured over
const LEAST = 4_000; // milliseconds before which nothing is reported

interface Mark {
  readonly at: number;
  readonly bytes: number;
}

export class TransferRate {
  #marks: Mark[] = [];
  #bytes = 0;

  /** So many bytes more were transferred. */
  add(bytes: number, at: number): void {
    this.#bytes += bytes;
    this.#marks.push({ at, bytes: this.#bytes });
    this.#forget(at);
  }

  /** Forgets the rate, after a pause or an error. */
  reset(): void {
    this.#marks = [];
  }

  /** Null while unknown. */
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
