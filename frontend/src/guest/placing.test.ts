import { expect, it } from 'vitest';
import type { Image } from '$lib/api/shapes';
import { placed } from './placing';

const photo = (day: number) => ({ imageId: `p${day}`, takenAt: `2025-06-0${day}T12:00:00Z` }) as Image;
const days = (images: readonly Image[]) => images.map(({ imageId }) => imageId).join();
const loaded = [photo(7), photo(5), photo(3)];

it('a photo stands where its time is', () => {
  expect(days(placed(loaded, photo(6), 'taken', false))).toBe('p7,p6,p5,p3');
});
it('what belongs behind the end waits until that is loaded', () => {
  expect(days(placed(loaded, photo(1), 'taken', false))).toBe('p7,p5,p3');
  expect(days(placed(loaded, photo(1), 'taken', true))).toBe('p7,p5,p3,p1');
});
it('in the order of adding it was on the first page, or comes later; by hand it is last', () => {
  expect(placed(loaded, photo(1), 'added', false)).toBe(loaded);
  expect(days(placed(loaded, photo(9), 'hand', true))).toBe('p7,p5,p3,p9');
});
it('one that is there stays where it is', () => {
  expect(placed(loaded, photo(5), 'taken', true)).toBe(loaded);
});
