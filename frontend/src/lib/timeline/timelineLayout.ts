/** Layout of the timeline: places of months, rows and photos, and what is visible.
 *
 * All of it is known from the ratios alone, so nothing moves when photos load. A million photos are a few megabytes of
 * numbers. Tops are whole pixels, since browsers are imprecise far down a page.
 */
import { eachRow, type RowShape } from '../photos/justifiedRows';
import { RATIOS, type MonthRatios } from './ratioStrip';

export interface LayoutMeasures extends RowShape {
  /** Height of a month's heading, and of the space below its rows. */
  readonly heading: number;
  readonly space: number;
}

export class TimelineLayout {
  readonly height: number;
  /** Number of photos. */
  readonly count: number;
  /** First photo, first row and top of each month, and of the end. */
  readonly monthStarts: Uint32Array;
  readonly monthRows: Uint32Array;
  readonly monthTops: Float64Array;
  /** First photo of each row and of the end; tops; and heights before rounding. */
  readonly rowStarts: Uint32Array;
  readonly rowTops: Float64Array;
  readonly rowHeights: Float64Array;

  constructor(
    readonly months: readonly MonthRatios[],
    readonly measures: LayoutMeasures,
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

  /** Month at this height, or the nearest one. */
  monthAt(top: number): number {
    return Math.min(lastAtMost(this.monthTops, top), Math.max(0, this.months.length - 1));
  }

  monthOf(photo: number): number {
    return Math.min(lastAtMost(this.monthStarts, photo), Math.max(0, this.months.length - 1));
  }

  monthOfRow(row: number): number {
    return Math.min(lastAtMost(this.monthRows, row), Math.max(0, this.months.length - 1));
  }

  /** Row at this height, or the last one above it. */
  rowAt(top: number): number {
    return lastAtMost(this.rowTops, top);
  }

  rowOf(photo: number): number {
    return Math.min(lastAtMost(this.rowStarts, photo), Math.max(0, this.rowCount - 1));
  }

  /** Ratio (width by height) of a photo, clamped. */
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
    eachRow(ratioOf, 0, ratios.length, this.measures, (start, _, height) => {
      starts.push(first + start);
      tops.push(top);
      heights.push(height);
      top += Math.round(height) + this.measures.gap;
    });
    return top;
  }
}

/** Index of the last value that is at most this one; 0 if there is none. */
export function lastAtMost(sorted: ArrayLike<number>, value: number): number {
  let [low, high] = [0, sorted.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}

export interface YearMark {
  readonly year: string;
  /** Pixels below the top of the scrubber. */
  readonly at: number;
}

/** Position of the window, from 0 to 1. */
export const scrubberShareAt = (top: number, layout: TimelineLayout, window: number): number =>
  Math.min(1, Math.max(0, top / Math.max(1, layout.height - window)));

export const scrollTopAt = (share: number, layout: TimelineLayout, window: number): number =>
  Math.min(1, Math.max(0, share)) * Math.max(0, layout.height - window);

/** Newest first: the first and the last year, and those between that are `apart` pixels from each other. */
export function yearMarks(layout: TimelineLayout, window: number, track: number, apart: number): YearMark[] {
  const all: YearMark[] = [];
  layout.months.forEach(({ month }, at) => {
    const year = month.slice(0, 4);
    if (all.at(-1)?.year !== year)
      all.push({ year, at: scrubberShareAt(layout.monthTops[at] ?? 0, layout, window) * track });
  });
  const last = all.at(-1);
  const kept: YearMark[] = [];
  for (const mark of all) {
    const previous = kept.at(-1);
    const isApart = !previous || mark.at - previous.at >= apart;
    if (isApart && (mark === last || !previous || (last?.at ?? 0) - mark.at >= apart)) kept.push(mark);
  }
  return kept;
}

export interface VisibleRow {
  readonly row: number;
  /** Indices among all photos. */
  readonly photos: readonly number[];
  /** Pixels below the section's top. */
  readonly top: number;
  /** Before it is rounded. */
  readonly height: number;
}

export interface VisibleSection {
  /** Index of the month. */
  readonly at: number;
  readonly month: string;
  readonly count: number;
  /** Position in the page. */
  readonly top: number;
  readonly height: number;
  readonly rows: readonly VisibleRow[];
}

const REACH = 1_000_000; // pixels: a month may be higher than a browser can draw, so its section is cut

/** Sections from one row to another; `shift` is the difference between positions in the timeline and in the page. */
export function visibleSections(layout: TimelineLayout, first: number, last: number, shift: number): VisibleSection[] {
  if (!layout.count) return [];
  const sections: VisibleSection[] = [];
  for (let at = layout.monthOfRow(first); at <= layout.monthOfRow(last); at++) {
    const [from, to] = [layout.monthTops[at] ?? 0, (layout.monthTops[at + 1] ?? 0) - layout.measures.space];
    const middle = Math.floor((layout.rowTops[first] ?? 0) / REACH) * REACH;
    const [top, bottom] = [Math.max(from, middle - REACH), Math.min(to, middle + 3 * REACH)];
    const { month = '', ratios } = layout.months[at] ?? {};
    const rows = rowsOf(
      layout,
      Math.max(first, layout.monthRows[at] ?? 0),
      Math.min(last + 1, layout.monthRows[at + 1] ?? 0),
      top,
    );
    sections.push({ at, month, count: ratios?.length ?? 0, top: top - shift, height: bottom - top, rows });
  }
  return sections;
}

function rowsOf(layout: TimelineLayout, from: number, to: number, top: number): VisibleRow[] {
  const rows: VisibleRow[] = [];
  for (let row = from; row < to; row++) {
    const start = layout.rowStarts[row] ?? 0;
    rows.push({
      row,
      photos: Array.from({ length: (layout.rowStarts[row + 1] ?? 0) - start }, (_, at) => start + at),
      top: (layout.rowTops[row] ?? 0) - top,
      height: layout.rowHeights[row] ?? 0,
    });
  }
  return rows;
}
