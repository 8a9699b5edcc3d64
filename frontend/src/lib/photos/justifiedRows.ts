/** Layout of photos in justified rows. The last row is not stretched. */

export interface Row {
  /** First photo of the row, and their number. */
  readonly start: number;
  readonly count: number;
  readonly top: number;
  readonly height: number;
}

export interface RowShape {
  readonly width: number;
  /** Wanted height, before rows are fitted. */
  readonly rowHeight: number;
  readonly gap: number;
}

const FLATTEST = 0.35; // width by height: narrower photos are cropped, so that no tall photo fills the page
const WIDEST = 4;

export const clampRatio = (ratio: number): number => Math.min(WIDEST, Math.max(FLATTEST, ratio));

/** Rows of these ratios, from `top` down. */
export function justify(ratios: ArrayLike<number>, shape: RowShape, top = 0): Row[] {
  const rows: Row[] = [];
  eachRow(
    (at) => clampRatio(ratios[at] ?? 1),
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

/** Calls `each` for every row of the photos from `from` to before `to`: first photo, number and height. A row ends
 * where its height is nearest to the wanted one. Ratios are clamped.
 */
export function eachRow(
  ratioOf: (at: number) => number,
  from: number,
  to: number,
  { width, rowHeight, gap }: RowShape,
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
      at--; // this photo starts the next row, and may fill it
    } else {
      each(start, count + 1, height);
      start = at + 1;
      sum = 0;
    }
  }
  if (start < to) each(start, to - start, Math.min(rowHeight, fitted(sum, to - start)));
}

/** Wanted row height on a page of this width. */
export const rowHeightFor = (width: number): number =>
  width < 500 ? 130 : width < 900 ? 180 : width < 1800 ? 220 : 260;
