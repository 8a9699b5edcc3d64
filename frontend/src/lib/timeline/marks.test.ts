import { expect, test } from 'vitest';
import { Layout } from './layout';
import { shareAt, topAt, yearMarks } from './marks';

const MEASURES = { width: 1000, rowHeight: 220, gap: 4, heading: 56, space: 20 };
const MONTHS = Array.from({ length: 120 }, (_, at) => ({
  month: `${2024 - Math.floor(at / 12)}-${String(12 - (at % 12)).padStart(2, '0')}`,
  version: 1,
  ratios: new Uint8Array(at < 12 ? 800 : 20).fill(149),
}));
const LAYOUT = new Layout(MONTHS, MEASURES);

test('years stand where they begin, and never on one another', () => {
  const marks = yearMarks(LAYOUT, 800, 600, 22);
  expect(marks[0]).toEqual({ year: '2024', at: 0 });
  expect(marks.at(-1)?.year).toBe('2015');
  marks.slice(1).forEach((mark, at) => expect(mark.at - (marks[at]?.at ?? 0)).toBeGreaterThanOrEqual(22));
  const [, second] = marks;
  expect(second?.at).toBeCloseTo(
    shareAt(LAYOUT.monthTops[MONTHS.findIndex(({ month }) => month.startsWith(second?.year ?? ''))] ?? 0, LAYOUT, 800) *
      600,
    6,
  );
});

test('a place along the scrubber leads there and back', () => {
  for (const share of [0, 0.25, 0.5, 1]) expect(shareAt(topAt(share, LAYOUT, 800), LAYOUT, 800)).toBeCloseTo(share, 9);
  expect(topAt(7, LAYOUT, 800)).toBe(LAYOUT.height - 800);
  expect(shareAt(-100, LAYOUT, 800)).toBe(0);
});

test('a track without months has no years', () => {
  expect(yearMarks(new Layout([], MEASURES), 800, 600, 22)).toEqual([]);
});
