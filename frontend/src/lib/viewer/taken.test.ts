import { expect, it } from 'vitest';
import { moment, wallClock } from './taken';

it('tells what the clock showed', () => {
  expect(wallClock('2024-05-01T22:30:00.000Z', '+02:00')).toBe('2024-05-02T00:30:00');
  expect(wallClock('2024-05-01T02:30:00Z', '-09:30')).toBe('2024-04-30T17:00:00');
  expect(wallClock('2024-05-01T02:30:00Z', '')).toBe('2024-05-01T02:30:00');
});

it('tells the moment of what is written into a field', () => {
  expect(moment('2024-05-02T00:30', '+02:00')).toBe('2024-05-02T00:30:00+02:00');
  expect(moment('2024-05-02T00:30:15', '')).toBe('2024-05-02T00:30:15Z');
});
