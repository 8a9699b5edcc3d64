/** What is drawn of a timeline: the months around the window, and their rows near it. */
import type { Layout } from './layout';

export interface DrawnRow {
  readonly row: number;
  /** Their places among all. */
  readonly photos: readonly number[];
  /** Below its section's top. */
  readonly top: number;
  /** As its photos have it, before it is rounded. */
  readonly height: number;
}

export interface Section {
  /** Its place among the months. */
  readonly at: number;
  readonly month: string;
  readonly count: number;
  /** In the page. */
  readonly top: number;
  readonly height: number;
  readonly rows: readonly DrawnRow[];
}

const REACH = 1_000_000; // pixels: a month may be higher than a browser can draw, its section is cut there

/** The sections from one row to another, for a page whose places are `shift` less than those of the whole. */
export function sectionsBetween(layout: Layout, first: number, last: number, shift: number): Section[] {
  if (!layout.count) return [];
  const sections: Section[] = [];
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

function rowsOf(layout: Layout, from: number, to: number, top: number): DrawnRow[] {
  const rows: DrawnRow[] = [];
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
