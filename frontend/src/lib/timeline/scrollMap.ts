/** Heights beyond what a browser can scroll, in a range that it can.
 *
 * Near both ends a pixel is a pixel. Between them the range stands for all the rest: a place in it is proportional to
 * the place in the whole, while scrolling by hand moves pixel by pixel from wherever one is (see Scroller).
 */

export const LIMIT = 15_000_000; // pixels: Firefox ends before 17.9 million, and whole numbers in floats at 16.7
const EDGE = 1_000_000;

export class ScrollMap {
  readonly #edge: number;

  constructor(
    /** How high everything is. */
    readonly total: number,
    readonly limit: number = LIMIT,
    edge: number = EDGE,
  ) {
    this.#edge = Math.min(edge, limit / 4);
  }

  /** How high the page is. */
  get height(): number {
    return Math.min(this.total, this.limit);
  }

  get isWhole(): boolean {
    return this.total <= this.limit;
  }

  /** How far a place may stray from where the range has it: beyond that, an end of the page may come too early. */
  get slack(): number {
    return this.#edge / 2;
  }

  /** The place in the whole that this place in the page stands for. */
  toWhole(place: number): number {
    if (this.isWhole || place <= this.#edge) return place;
    const fromEnd = this.height - place;
    if (fromEnd <= this.#edge) return this.total - fromEnd;
    return this.#edge + ((place - this.#edge) * (this.total - 2 * this.#edge)) / (this.height - 2 * this.#edge);
  }

  /** The place in the page for this place in the whole. */
  toPage(place: number): number {
    if (this.isWhole || place <= this.#edge) return place;
    const fromEnd = this.total - place;
    if (fromEnd <= this.#edge) return this.height - fromEnd;
    return this.#edge + ((place - this.#edge) * (this.height - 2 * this.#edge)) / (this.total - 2 * this.#edge);
  }
}
