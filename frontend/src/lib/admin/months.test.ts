import { describe, expect, it } from 'vitest';
import { monthAfter, monthOf } from './months';

describe('a month', () => {
  it('is the one in UTC', () => {
    expect(monthOf(new Date('2026-12-31T23:30:00-05:00'))).toBe('2027-01');
  });

  it('has one before and one after, over the year too', () => {
    expect(monthAfter('2026-01', -1)).toBe('2025-12');
    expect(monthAfter('2025-12', 1)).toBe('2026-01');
    expect(monthAfter('2024-02', 0)).toBe('2024-02');
  });
});
