/** Arrow-key navigation between photos of the timeline. */
import type { TimelineLayout } from './timelineLayout';

/** Index that a key leads to; null for none. Without a focused photo, left and right lead to `start`. */
export function photoAfterKey(key: string, from: number | null, start: number, layout: TimelineLayout): number | null {
  if (from === null) return key === 'ArrowRight' || key === 'ArrowLeft' ? start : null;
  if (from < 0) return null;
  const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: layout.count - 1 }[key] ?? null;
  if (to !== null) return to >= 0 && to < layout.count ? to : null;
  if (key === 'ArrowDown') return inRow(layout.rowOf(from) + 1, middleOf(from, layout), layout);
  if (key === 'ArrowUp') return inRow(layout.rowOf(from) - 1, middleOf(from, layout), layout);
  return null;
}

/** Distance of a photo's middle from the start of its row. */
function middleOf(photo: number, layout: TimelineLayout): number {
  const row = layout.rowOf(photo);
  let across = 0;
  for (let at = layout.rowStarts[row] ?? 0; at < photo; at++) across += widthOf(at, row, layout) + layout.measures.gap;
  return across + widthOf(photo, row, layout) / 2;
}

/** Photo of a row at this distance from its start, or the last one. */
function inRow(row: number, across: number, layout: TimelineLayout): number | null {
  if (row < 0 || row >= layout.rowCount) return null;
  const [start, end] = [layout.rowStarts[row] ?? 0, layout.rowStarts[row + 1] ?? 0];
  let photo = start;
  let edge = widthOf(photo, row, layout);
  while (edge < across && photo + 1 < end) edge += layout.measures.gap + widthOf(++photo, row, layout);
  return photo;
}

const widthOf = (photo: number, row: number, layout: TimelineLayout): number =>
  layout.ratioOf(photo) * (layout.rowHeights[row] ?? 0);
