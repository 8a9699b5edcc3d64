/** Justified rows: photos of one height side by side, each row as wide as the page; the last one keeps its end open. */

export interface Row {
  /** The first photo of the row, and how many there are. */
  readonly start: number;
  readonly count: number;
  readonly top: number;
  readonly height: number;
}

export interface Shape {
  readonly width: number;
  /** The height that rows are about, before they are fitted. */
  readonly rowHeight: number;
  readonly gap: number;
}

const FLATTEST = 0.35; // of width by height: narrower photos are cut, so that one tall strip fills no page
const WIDEST = 4;

export const clamped = (ratio: number): number => Math.min(WIDEST, Math.max(FLATTEST, ratio));

/** Rows for these ratios, from `top` down. */
export function justify(ratios: ArrayLike<number>, { width, rowHeight, gap }: Shape, top = 0): Row[] {
  const rows: Row[] = [];
  let start = 0;
  let sum = 0;
  for (let at = 0; at < ratios.length; at++) {
    sum += clamped(ratios[at] ?? 1);
    const count = at + 1 - start;
    const height = (width - gap * (count - 1)) / sum;
    if (height > rowHeight && at + 1 < ratios.length) continue;
    rows.push({ start, count, top, height: Math.min(height, rowHeight) });
    top += Math.min(height, rowHeight) + gap;
    start = at + 1;
    sum = 0;
  }
  return rows;
}

/** How high rows are about, on a page of this width. */
export const rowHeightFor = (width: number): number =>
  width < 500 ? 130 : width < 900 ? 180 : width < 1800 ? 220 : 260;
