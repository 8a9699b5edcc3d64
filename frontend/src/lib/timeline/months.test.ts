import { expect, it } from 'vitest';
import type { Month } from '../api/shapes';
import { Columns, Months } from './months';

const JUNE = { month: '2024-06', count: 2, ids: ['a'], favorites: [] as string[] } as Month;

it('has what was fetched first near, so that a change finds it there and does not let go of it', () => {
  const months = new Months('mine', () => undefined);
  months.begin(new Columns(JUNE));
  expect(months.isNear('2024-06')).toBe(true);
  expect(months.get('2024-06')?.ids).toEqual(['a']);
});
