import { describe, expect, test } from 'vitest';
import { LIMIT, ScrollMap, Scroller, type ScrollPage } from './scroller.svelte';

const TOTAL = 45_000_000;

describe('a range that stands for more than a browser can scroll', () => {
  const map = new ScrollMap(TOTAL);
  const places = Array.from({ length: 301 }, (_, at) => (LIMIT * at) / 300);

  test('is the whole where that is small enough', () => {
    const small = new ScrollMap(9_000_000);
    expect([small.height, small.toWhole(123_456), small.toPage(8_999_999)]).toEqual([9_000_000, 123_456, 8_999_999]);
  });

  test('grows from end to end', () => {
    expect(map.height).toBe(LIMIT);
    expect([map.toWhole(0), map.toWhole(LIMIT)]).toEqual([0, TOTAL]);
    const whole = places.map((place) => map.toWhole(place));
    whole.slice(1).forEach((place, at) => expect(place).toBeGreaterThan(whole[at] ?? 0));
  });

  test('leads there and back', () => {
    for (const place of places) expect(map.toPage(map.toWhole(place))).toBeCloseTo(place, 3);
  });

  test('is pixel by pixel at both ends, and before the beginning', () => {
    expect(map.toWhole(900_000) - map.toWhole(899_000)).toBe(1000);
    expect(map.toWhole(LIMIT - 100) - map.toWhole(LIMIT - 300)).toBe(200);
    expect(map.toWhole(-120)).toBe(-120);
  });
});

/** Page of a given height, as a browser scrolls it. */
class FakePage implements ScrollPage {
  time = 0;
  at = 0;
  constructor(readonly height: number) {}
  place = () => this.at;
  now = () => this.time;
  scrollBy = (distance: number) => void (this.at = Math.min(Math.max(0, this.at + distance), this.height - 800));
}

function opened(total: number): { page: FakePage; scroller: Scroller; step: (by: number, took?: number) => void } {
  const page = new FakePage(Math.min(total, LIMIT));
  const scroller = new Scroller(page);
  scroller.height = 800;
  scroller.resize(total);
  const step = (by: number, took = 16) => {
    page.time += took;
    page.scrollBy(by);
    scroller.scrolled();
  };
  return { page, scroller, step };
}

describe('a scroller', () => {
  test('moves pixel by pixel wherever it is', () => {
    const { scroller, step } = opened(TOTAL);
    scroller.jump(20_000_000);
    for (let at = 1; at <= 50; at++) {
      step(90);
      expect(scroller.top).toBe(20_000_000 + 90 * at);
    }
    scroller.end();
  });

  test('leaps as far as the scroll bar says', () => {
    const { scroller, page, step } = opened(TOTAL);
    step(LIMIT / 2);
    expect(scroller.top).toBeCloseTo(TOTAL / 2, -1);
    step(LIMIT);
    expect(scroller.top).toBe(TOTAL - 800);
    expect(page.at).toBe(LIMIT - 800);
    scroller.end();
  });

  test('draws what it shows where the page is', () => {
    const { scroller, page } = opened(TOTAL);
    scroller.jump(31_234_567);
    expect(scroller.top).toBe(31_234_567);
    expect(scroller.top - scroller.shift).toBeCloseTo(page.at, 6);
    scroller.end();
  });

  test('does not go beyond the ends', () => {
    const { scroller } = opened(5000);
    scroller.jump(1_000_000);
    expect(scroller.top).toBe(4200);
    scroller.jump(-1_000_000);
    expect(scroller.top).toBe(0);
    scroller.end();
  });

  test('is fast where no photo can be recognized, and not at a single page down', () => {
    const { scroller, step } = opened(100_000);
    step(700, 5000);
    expect(scroller.isFast).toBe(false);
    for (let at = 0; at < 5; at++) step(300);
    expect(scroller.isFast).toBe(true);
    scroller.end();
  });
});
