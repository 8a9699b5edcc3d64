import { expect, it, vi } from 'vitest';
import type { Month } from '../api/shapes';
import { marking } from '../photos/marking';
import { Columns, Months } from './months';

const JUNE = { month: '2024-06', count: 2, ids: ['a'], favorites: [] as string[] } as Month;

it('has what was fetched first near, so that a change finds it there and does not let go of it', () => {
  const months = new Months('mine', () => undefined);
  months.begin(new Columns(JUNE, Date.now()));
  expect(months.isNear('2024-06')).toBe(true);
  expect(months.get('2024-06')?.ids).toEqual(['a']);
});

it('shows what was marked here, whatever an older answer says of it', async () => {
  vi.useFakeTimers({ now: 1000 });
  const months = new Months('mine', () => undefined);
  const [older, newer] = [new Columns(JUNE, 900), new Columns(JUNE, 1100)];
  await marking(['a'], true, Promise.resolve());
  months.take(older);
  expect(months.get('2024-06')?.told.favorites).toEqual(['a']);
  months.take(newer);
  expect(months.get('2024-06')?.told.favorites).toEqual([]);
  vi.useRealTimers();
});
