import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Guest, Image } from '$lib/api/types';
import { GuestPhotos, insertSorted } from './guestPhotos.svelte';

const COUNT = 60;
const SOON = 400;
const guest = { guestId: 'g', albumId: 'a', allow: ['view', 'upload'], persons: [] as string[] } as unknown as Guest;
const taken = (day: number): Image =>
  ({ imageId: `p${day}`, takenAt: new Date(Date.UTC(2025, 0, day)).toISOString(), favorite: false, urls: {} }) as Image;

let photos: Image[];
let asked: string[];
let hold: Promise<void> | null;
let errors: unknown[];
let guestPhotos: GuestPhotos;

/** Album, newest first; a cursor is an index. */
async function answer(address: string, { method }: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(address, 'http://sparks');
  asked.push(`${method} ${pathname}`);
  const told = bodyOf(pathname, searchParams);
  if (hold && pathname.endsWith('/photos')) await hold;
  return new Response(JSON.stringify(told));
}

function bodyOf(path: string, query: URLSearchParams): object {
  if (path === '/api/albums/a') return { albumId: 'a', order: 'taken' };
  if (!path.endsWith('/photos')) return photos.find(({ imageId }) => path.includes(`/${imageId}`)) ?? {};
  const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
  const next = from + limit;
  return { images: photos.slice(from, next), ...(next < photos.length && { lastEvaluatedKey: String(next) }) };
}

const calls = (call: string) => asked.filter((each) => each === call).length;
const passed = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const add = (image: Image) => {
  photos = [...photos, image].sort((one, other) => (other.takenAt ?? '').localeCompare(one.takenAt ?? ''));
  guestPhotos.onAlbumEvent({ albumId: 'a', photo: { imageId: image.imageId } } as Parameters<
    GuestPhotos['onAlbumEvent']
  >[0]);
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', answer);
  photos = Array.from({ length: COUNT }, (_, at) => taken(2 * (COUNT - at)));
  [asked, errors, hold] = [[], [], null];
  guestPhotos = new GuestPhotos(
    () => guest,
    (error) => errors.push(error),
  );
});

afterEach(() => {
  guestPhotos.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  expect(errors).toEqual([]);
});

it('a photo that belongs far down appears there, in an album that is all loaded', async () => {
  await guestPhotos.show('album');
  await guestPhotos.lists.album.loadMore();
  expect(guestPhotos.lists.album.isComplete).toBe(true);
  add(taken(5));
  await passed(SOON);
  expect(guestPhotos.lists.album.indexOf('p5')).toBe(photos.findIndex(({ imageId }) => imageId === 'p5'));
});

it('a steady flow of events postpones nothing, and takes no renewal’s place', async () => {
  await guestPhotos.show('mine');
  await guestPhotos.lists.mine.loadMore();
  asked = [];
  guestPhotos.renew();
  for (let event = 0; event < 12; event++) {
    guestPhotos.onAlbumEvent({ albumId: 'a' } as Parameters<GuestPhotos['onAlbumEvent']>[0]);
    await passed(SOON / 4);
  }
  await passed(SOON);
  expect(calls('GET /api/guest/photos')).toBeGreaterThanOrEqual(3);
  expect(calls('GET /api/guest/photos')).toBeLessThanOrEqual(4);
  expect(guestPhotos.lists.mine.count).toBe(COUNT); // and not only the first page
});

it('an answer from before a heart was given does not take it away', async () => {
  await guestPhotos.show('album');
  let release = (): void => undefined;
  hold = new Promise((go) => (release = go));
  guestPhotos.renew();
  await passed(SOON + 1);
  await guestPhotos.toggleFavorite(guestPhotos.lists.album.items[0] as Image);
  release();
  await passed(0);
  expect(guestPhotos.lists.album.items[0]?.favorite).toBe(true);
});

const photo = (day: number) => ({ imageId: `p${day}`, takenAt: `2025-06-0${day}T12:00:00Z` }) as Image;
const days = (images: readonly Image[]) => images.map(({ imageId }) => imageId).join();
const loaded = [photo(7), photo(5), photo(3)];

it('a photo stands where its time is', () => {
  expect(days(insertSorted(loaded, photo(6), 'taken', false))).toBe('p7,p6,p5,p3');
});
it('what belongs behind the end waits until that is loaded', () => {
  expect(days(insertSorted(loaded, photo(1), 'taken', false))).toBe('p7,p5,p3');
  expect(days(insertSorted(loaded, photo(1), 'taken', true))).toBe('p7,p5,p3,p1');
});
it('in the order of adding it was on the first page, or comes later; by hand it is last', () => {
  expect(insertSorted(loaded, photo(1), 'added', false)).toBe(loaded);
  expect(days(insertSorted(loaded, photo(9), 'hand', true))).toBe('p7,p5,p3,p9');
});
it('one that is there stays where it is', () => {
  expect(insertSorted(loaded, photo(5), 'taken', true)).toBe(loaded);
});
