import { describe, expect, test } from 'vitest';
import { photoAfterKey } from './arrowKeys';
import { RATIOS, type MonthRatios } from './ratioStrip';
import { lastAtMost, TimelineLayout, scrubberShareAt, scrollTopAt, yearMarks, visibleSections } from './timelineLayout';

const MEASURES = { width: 1000, rowHeight: 220, gap: 4, heading: 56, space: 20 };
const month = (name: string, count: number): MonthRatios => ({
  month: name,
  version: 1,
  ratios: Uint8Array.from({ length: count }, (_, at) => 100 + ((at * 7) % 60)),
});
const MONTHS = [month('2025-03', 40), month('2025-02', 1), month('2024-11', 300)];
const LAYOUT = new TimelineLayout(MONTHS, MEASURES);

describe('the layout of a timeline', () => {
  test('has months one below the other, each with its heading', () => {
    expect(LAYOUT.count).toBe(341);
    MONTHS.forEach((_, at) => {
      const firstRow = LAYOUT.monthRows[at] ?? 0;
      expect(LAYOUT.rowTops[firstRow]).toBe((LAYOUT.monthTops[at] ?? 0) + MEASURES.heading);
      expect(LAYOUT.rowStarts[firstRow]).toBe(LAYOUT.monthStarts[at]);
    });
    expect(LAYOUT.monthTops[3]).toBe(LAYOUT.height);
  });

  test('has rows that fill the width, at whole pixels', () => {
    for (let row = 0; row + 1 < LAYOUT.rowCount; row++) {
      expect(Number.isInteger(LAYOUT.rowTops[row])).toBe(true);
      if (LAYOUT.monthOfRow(row) !== LAYOUT.monthOfRow(row + 1)) continue;
      const [start, end] = [LAYOUT.rowStarts[row] ?? 0, LAYOUT.rowStarts[row + 1] ?? 0];
      let width = MEASURES.gap * (end - start - 1);
      for (let photo = start; photo < end; photo++) width += LAYOUT.ratioOf(photo) * (LAYOUT.rowHeights[row] ?? 0);
      expect(width).toBeCloseTo(MEASURES.width, 6);
    }
  });

  test('finds months, rows and photos by where they are', () => {
    expect(LAYOUT.monthAt(-50)).toBe(0);
    expect(LAYOUT.monthAt((LAYOUT.monthTops[1] ?? 0) + 1)).toBe(1);
    expect(LAYOUT.monthAt(LAYOUT.height + 999)).toBe(2);
    for (const photo of [0, 39, 40, 41, 340]) {
      const row = LAYOUT.rowOf(photo);
      expect(LAYOUT.rowStarts[row]).toBeLessThanOrEqual(photo);
      expect(LAYOUT.rowStarts[row + 1]).toBeGreaterThan(photo);
      expect(LAYOUT.monthOfRow(row)).toBe(LAYOUT.monthOf(photo));
    }
    expect(LAYOUT.ratioOf(40)).toBe(RATIOS[100]);
  });

  test('without photos is empty', () => {
    const empty = new TimelineLayout([], MEASURES);
    expect([empty.count, empty.height, empty.rowCount, empty.monthAt(10)]).toEqual([0, 0, 0, 0]);
    expect(visibleSections(empty, 0, 0, 0)).toEqual([]);
  });

  test('has room for a million photos', () => {
    const many = Array.from({ length: 120 }, (_, at) => month(`${2030 - Math.floor(at / 12)}-01`, 8334));
    const { count, height } = new TimelineLayout(many, MEASURES);
    expect(count).toBe(1_000_080);
    expect(height).toBeGreaterThan(40_000_000);
  });
});

describe('what is drawn', () => {
  test('are the rows that were asked for, under their months', () => {
    const sections = visibleSections(LAYOUT, 2, LAYOUT.rowCount - 1, 0);
    expect(sections.map((each) => each.month)).toEqual(['2025-03', '2025-02', '2024-11']);
    expect(sections.flatMap(({ rows }) => rows.map(({ row }) => row))).toEqual(
      Array.from({ length: LAYOUT.rowCount - 2 }, (_, at) => at + 2),
    );
    expect(sections.flatMap(({ rows }) => rows.flatMap(({ photos }) => photos)).at(-1)).toBe(340);
  });

  test('is cut where a month is higher than a browser can draw', () => {
    const huge = new TimelineLayout([month('2025-01', 400_000)], MEASURES);
    const row = huge.rowAt(huge.height / 2);
    const [section] = visibleSections(huge, row, row + 8, 5_000_000);
    expect(section?.height).toBeLessThanOrEqual(4_000_000);
    expect((section?.top ?? 0) + (section?.rows[0]?.top ?? 0)).toBe((huge.rowTops[row] ?? 0) - 5_000_000);
  });
});

describe('arrow keys', () => {
  test('lead from photo to photo, and from row to row', () => {
    expect(photoAfterKey('ArrowRight', 0, 0, LAYOUT)).toBe(1);
    expect(photoAfterKey('ArrowLeft', 0, 0, LAYOUT)).toBeNull();
    expect(photoAfterKey('End', 0, 0, LAYOUT)).toBe(340);
    const below = photoAfterKey('ArrowDown', 1, 0, LAYOUT) ?? -1;
    expect(LAYOUT.rowOf(below)).toBe(1);
    expect(photoAfterKey('ArrowUp', below, 0, LAYOUT)).toBe(1);
    expect(photoAfterKey('ArrowUp', 1, 0, LAYOUT)).toBeNull();
    expect(photoAfterKey('ArrowRight', null, 7, LAYOUT)).toBe(7);
    expect(photoAfterKey('q', 3, 0, LAYOUT)).toBeNull();
  });
});

test('the last place up to a value is found', () => {
  expect([-1, 0, 4, 5, 9, 99].map((value) => lastAtMost([0, 5, 9], value))).toEqual([0, 0, 0, 1, 2, 2]);
});

const DECADE = Array.from({ length: 120 }, (_, at) => ({
  month: `${2024 - Math.floor(at / 12)}-${String(12 - (at % 12)).padStart(2, '0')}`,
  version: 1,
  ratios: new Uint8Array(at < 12 ? 800 : 20).fill(149),
}));
const DECADE_LAYOUT = new TimelineLayout(DECADE, MEASURES);

test('years stand where they begin, and never on one another', () => {
  const marks = yearMarks(DECADE_LAYOUT, 800, 600, 22);
  expect(marks[0]).toEqual({ year: '2024', at: 0 });
  expect(marks.at(-1)?.year).toBe('2015');
  marks.slice(1).forEach((mark, at) => expect(mark.at - (marks[at]?.at ?? 0)).toBeGreaterThanOrEqual(22));
  const [, second] = marks;
  expect(second?.at).toBeCloseTo(
    scrubberShareAt(
      DECADE_LAYOUT.monthTops[DECADE.findIndex(({ month }) => month.startsWith(second?.year ?? ''))] ?? 0,
      DECADE_LAYOUT,
      800,
    ) * 600,
    6,
  );
});

test('a place along the scrubber leads there and back', () => {
  for (const share of [0, 0.25, 0.5, 1])
    expect(scrubberShareAt(scrollTopAt(share, DECADE_LAYOUT, 800), DECADE_LAYOUT, 800)).toBeCloseTo(share, 9);
  expect(scrollTopAt(7, DECADE_LAYOUT, 800)).toBe(DECADE_LAYOUT.height - 800);
  expect(scrubberShareAt(-100, DECADE_LAYOUT, 800)).toBe(0);
});

test('a track without months has no years', () => {
  expect(yearMarks(new TimelineLayout([], MEASURES), 800, 600, 22)).toEqual([]);
});
