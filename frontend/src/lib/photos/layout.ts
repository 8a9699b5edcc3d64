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
export function justify(ratios: ArrayLike<number>, shape: Shape, top = 0): Row[] {
  const rows: Row[] = [];
  breakRows(
    (at) => clamped(ratios[at] ?? 1),
    0,
    ratios.length,
    shape,
    (start, count, height) => {
      rows.push({ start, count, top, height });
      top += height + shape.gap;
    },
  );
  return rows;
}

/** Tells `each` row of the photos from `from` to before `to`, whose ratios are clamped: where it starts, how many photos
 * it has and how high it is. A row ends where it comes nearest to the height that is wished for.
 */
export function breakRows(
  ratioOf: (at: number) => number,
  from: number,
  to: number,
  { width, rowHeight, gap }: Shape,
  each: (start: number, count: number, height: number) => void,
): void {
  const fitted = (sum: number, count: number) => (width - gap * (count - 1)) / sum;
  let start = from;
  let sum = 0;
  for (let at = from; at < to; at++) {
    const ratio = ratioOf(at);
    const count = at - start;
    const height = fitted(sum + ratio, count + 1);
    if (height > rowHeight) {
      sum += ratio;
      continue;
    }
    const without = count ? fitted(sum, count) : Infinity;
    if (without - rowHeight < rowHeight - height) {
      each(start, count, without);
      start = at;
      sum = 0;
      at--; // it begins the next row, and may fill it
    } else {
      each(start, count + 1, height);
      start = at + 1;
      sum = 0;
    }
  }
  if (start < to) each(start, to - start, Math.min(rowHeight, fitted(sum, to - start)));
}

/** How high rows are about, on a page of this width. */
export const rowHeightFor = (width: number): number =>
  width < 500 ? 130 : width < 900 ? 180 : width < 1800 ? 220 : 260;
