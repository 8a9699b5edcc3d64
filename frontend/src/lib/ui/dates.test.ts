import { expect, it, describe } from 'vitest';
import { fromWallClock, toWallClock, addMonths, utcMonthOf } from './dates';

it('tells what the clock showed', () => {
  expect(toWallClock('2024-05-01T22:30:00.000Z', '+02:00')).toBe('2024-05-02T00:30:00');
  expect(toWallClock('2024-05-01T02:30:00Z', '-09:30')).toBe('2024-04-30T17:00:00');
  expect(toWallClock('2024-05-01T02:30:00Z', '')).toBe('2024-05-01T02:30:00');
});

it('tells the moment of what is written into a field', () => {
  expect(fromWallClock('2024-05-02T00:30', '+02:00')).toBe('2024-05-02T00:30:00+02:00');
  expect(fromWallClock('2024-05-02T00:30:15', '')).toBe('2024-05-02T00:30:15Z');
});

describe('a month', () => {
  it('is the one in UTC', () => {
    expect(utcMonthOf(new Date('2026-12-31T23:30:00-05:00'))).toBe('2027-01');
  });

  it('has one before and one after, over the year too', () => {
    expect(addMonths('2026-01', -1)).toBe('2025-12');
    expect(addMonths('2025-12', 1)).toBe('2026-01');
    expect(addMonths('2024-02', 0)).toBe('2024-02');
  });
});
