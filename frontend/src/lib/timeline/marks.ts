/** What stands along the scrubber: years where they begin, as many as there is room for. */
import type { Layout } from './layout';

export interface Mark {
  readonly year: string;
  /** Pixels below the track's top. */
  readonly at: number;
}

/** Where along a track of this length the window is, from 0 to 1. */
export const shareAt = (top: number, layout: Layout, window: number): number =>
  Math.min(1, Math.max(0, top / Math.max(1, layout.height - window)));

export const topAt = (share: number, layout: Layout, window: number): number =>
  Math.min(1, Math.max(0, share)) * Math.max(0, layout.height - window);

/** Newest first. The first and the last year are there in any case; between them, those that keep `apart` pixels. */
export function yearMarks(layout: Layout, window: number, track: number, apart: number): Mark[] {
  const all: Mark[] = [];
  layout.months.forEach(({ month }, at) => {
    const year = month.slice(0, 4);
    if (all.at(-1)?.year !== year) all.push({ year, at: shareAt(layout.monthTops[at] ?? 0, layout, window) * track });
  });
  const last = all.at(-1);
  const kept: Mark[] = [];
  for (const mark of all) {
    const previous = kept.at(-1);
    const isApart = !previous || mark.at - previous.at >= apart;
    if (isApart && (mark === last || !previous || (last?.at ?? 0) - mark.at >= apart)) kept.push(mark);
  }
  return kept;
}
