import { expect, it, vi } from 'vitest';
import type { Month } from '../api/types';
import { trackFavorite } from '../photos/favoriteMarks';
import { MonthColumns, MonthCache } from './monthCache';

const JUNE = { month: '2024-06', count: 2, ids: ['a'], favorites: [] as string[] } as Month;

it('has what was fetched first near, so that a change finds it there and does not let go of it', () => {
  const months = new MonthCache('mine', () => undefined);
  months.begin(new MonthColumns(JUNE, Date.now()));
  expect(months.isNear('2024-06')).toBe(true);
  expect(months.get('2024-06')?.ids).toEqual(['a']);
});

it('shows what was marked here, whatever an older answer says of it', async () => {
  vi.useFakeTimers({ now: 1000 });
  const months = new MonthCache('mine', () => undefined);
  const [older, newer] = [new MonthColumns(JUNE, 900), new MonthColumns(JUNE, 1100)];
  await trackFavorite(['a'], true, Promise.resolve());
  months.take(older);
  expect(months.get('2024-06')?.told.favorites).toEqual(['a']);
  months.take(newer);
  expect(months.get('2024-06')?.told.favorites).toEqual([]);
  vi.useRealTimers();
});
