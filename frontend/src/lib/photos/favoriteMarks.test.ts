import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { trackFavorite, pendingFavoritesSince } from './favoriteMarks';
import { withPendingFavorites } from './pagedPhotos.svelte';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

function open(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

test('an answer that was asked for before the server knew is shown with the mark', async () => {
  const { promise, resolve } = open();
  const marked = trackFavorite(['sea'], true, promise);
  const asked = Date.now();
  expect(pendingFavoritesSince(asked)).toEqual(new Map([['sea', true]]));
  later(500);
  resolve();
  await marked;
  expect(pendingFavoritesSince(asked)).toEqual(new Map([['sea', true]]));
  expect(pendingFavoritesSince(Date.now())).toEqual(new Map());
});

test('the last mark of a photo counts', async () => {
  const asked = Date.now();
  later(1);
  await trackFavorite(['sea', 'hill'], true, Promise.resolve());
  later(1);
  await trackFavorite(['sea'], false, Promise.resolve());
  expect(pendingFavoritesSince(asked)).toEqual(
    new Map([
      ['sea', false],
      ['hill', true],
    ]),
  );
});

test('what the server refused is no mark', async () => {
  const asked = Date.now();
  later(1);
  await expect(trackFavorite(['lake'], true, Promise.reject(new Error('no network')))).rejects.toThrow('no network');
  expect(pendingFavoritesSince(asked).has('lake')).toBe(false);
});

test('a page of images is shown with what was marked since it was asked for', async () => {
  const { promise, resolve } = open();
  const page = withPendingFavorites(promise.then(() => ({ images: [{ imageId: 'sea', favorite: false }] as never[] })));
  later(1);
  await trackFavorite(['sea'], true, Promise.resolve());
  resolve();
  expect((await page).images).toEqual([{ imageId: 'sea', favorite: true }]);
});
