/** Where every photo of a timeline is: months with a heading each, and justified rows below it.
 *
 * All of it is known from the shapes alone, so nothing moves when photos arrive. A million photos are a few megabytes
 * of numbers; tops are whole pixels, since browsers are not precise far down a page.
 */
import { breakRows, type Shape } from '../photos/layout';
import { RATIOS, type Shapes } from './strip';

export interface Measures extends Shape {
  /** Of a month's heading, and of the space below its rows. */
  readonly heading: number;
  readonly space: number;
}

export class Layout {
  readonly height: number;
  /** How many photos there are. */
  readonly count: number;
  /** The first photo of each month, its first row and its top; and one more, for the end. */
  readonly monthStarts: Uint32Array;
  readonly monthRows: Uint32Array;
  readonly monthTops: Float64Array;
  /** The first photo of each row, and one more; tops; and heights, which a row takes in whole pixels. */
  readonly rowStarts: Uint32Array;
  readonly rowTops: Float64Array;
  readonly rowHeights: Float64Array;

  constructor(
    readonly months: readonly Shapes[],
    readonly measures: Measures,
  ) {
    const rows: [starts: number[], tops: number[], heights: number[]] = [[], [], []];
    const places: [starts: number[], rows: number[], tops: number[]] = [[], [], []];
    let first = 0;
    let top = 0;
    for (const { ratios } of months) {
      [first, rows[0].length, top].forEach((value, at) => places[at]?.push(value));
      top = this.#fill(ratios, first, top + measures.heading, rows) + measures.space;
      first += ratios.length;
    }
    [first, rows[0].length, top].forEach((value, at) => places[at]?.push(value));
    rows[0].push(first);
    [this.monthStarts, this.monthRows] = [Uint32Array.from(places[0]), Uint32Array.from(places[1])];
    this.monthTops = Float64Array.from(places[2]);
    this.rowStarts = Uint32Array.from(rows[0]);
    [this.rowTops, this.rowHeights] = [Float64Array.from(rows[1]), Float64Array.from(rows[2])];
    [this.count, this.height] = [first, top];
  }

  get rowCount(): number {
    return this.rowTops.length;
  }

  /** The month that is at this height, or the nearest one. */
  monthAt(top: number): number {
    return Math.min(lastUpTo(this.monthTops, top), Math.max(0, this.months.length - 1));
  }

  monthOf(photo: number): number {
    return Math.min(lastUpTo(this.monthStarts, photo), Math.max(0, this.months.length - 1));
  }

  monthOfRow(row: number): number {
    return Math.min(lastUpTo(this.monthRows, row), Math.max(0, this.months.length - 1));
  }

  /** The row that is at this height, or the last one above it. */
  rowAt(top: number): number {
    return lastUpTo(this.rowTops, top);
  }

  rowOf(photo: number): number {
    return Math.min(lastUpTo(this.rowStarts, photo), Math.max(0, this.rowCount - 1));
  }

  /** Width by height of a photo, as it is shown. */
  ratioOf(photo: number): number {
    const month = this.monthOf(photo);
    return RATIOS[this.months[month]?.ratios[photo - (this.monthStarts[month] ?? 0)] ?? 0] ?? 1;
  }

  #fill(
    ratios: Uint8Array,
    first: number,
    top: number,
    [starts, tops, heights]: [number[], number[], number[]],
  ): number {
    const ratioOf = (at: number) => RATIOS[ratios[at] ?? 0] ?? 1;
    breakRows(ratioOf, 0, ratios.length, this.measures, (start, _, height) => {
      starts.push(first + start);
      tops.push(top);
      heights.push(height);
      top += Math.round(height) + this.measures.gap;
    });
    return top;
  }
}

/** The last place whose value is at most this one; the first where there is none. */
export function lastUpTo(sorted: ArrayLike<number>, value: number): number {
  let [low, high] = [0, sorted.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}
