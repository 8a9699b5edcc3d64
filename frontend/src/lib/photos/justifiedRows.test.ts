import { describe, expect, test } from 'vitest';
import { clampRatio, justify } from './justifiedRows';

const SHAPE = { width: 1000, rowHeight: 220, gap: 4 };

function widthOf(
  ratios: readonly number[],
  { start, count, height }: { start: number; count: number; height: number },
) {
  const widths = ratios.slice(start, start + count).map((ratio) => clampRatio(ratio) * height);
  return widths.reduce((sum, width) => sum + width, 0) + SHAPE.gap * (count - 1);
}

const MIXED = Array.from({ length: 97 }, (_, at) => [1.5, 0.667, 1.333, 1, 1.778, 0.75, 3.2][(at * 5) % 7] ?? 1);

describe('justified rows', () => {
  test('fill the width, but for the last one', () => {
    const rows = justify(MIXED, SHAPE);
    for (const row of rows.slice(0, -1)) expect(widthOf(MIXED, row)).toBeCloseTo(SHAPE.width, 6);
    const last = rows.at(-1);
    expect(last && widthOf(MIXED, last)).toBeLessThanOrEqual(SHAPE.width + 1e-6);
  });

  test('hold every photo once, in order', () => {
    const rows = justify(MIXED, SHAPE);
    expect(rows.flatMap(({ start, count }) => Array.from({ length: count }, (_, at) => start + at))).toEqual(
      MIXED.map((_, at) => at),
    );
    rows
      .slice(1)
      .forEach((row, at) => expect(row.top).toBeCloseTo((rows[at]?.top ?? 0) + (rows[at]?.height ?? 0) + 4, 6));
  });

  test('keep near the height that is wished for', () => {
    for (const { height } of justify(MIXED, SHAPE)) {
      expect(height).toBeGreaterThan(SHAPE.rowHeight * 0.55);
      expect(height).toBeLessThan(SHAPE.rowHeight * 1.5);
    }
  });

  test('a last row that is not full keeps the height and leaves its end open', () => {
    const [row] = justify([1.5, 1.5], SHAPE);
    expect(row).toMatchObject({ start: 0, count: 2, height: 220 });
  });

  test('one very wide photo is cut, and fills a narrow page alone', () => {
    expect(clampRatio(30)).toBe(4);
    expect(clampRatio(0.01)).toBe(0.35);
    expect(justify([30, 1], { width: 390, rowHeight: 130, gap: 4 })[0]).toMatchObject({ count: 1, height: 97.5 });
  });

  test('there are none without photos', () => {
    expect(justify([], SHAPE)).toEqual([]);
  });
});
