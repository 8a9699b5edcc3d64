import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Guest, Image } from '$lib/api/shapes';
import { Shelf } from './shelf.svelte';

const COUNT = 60;
const SOON = 400;
const guest = { guestId: 'g', albumId: 'a', allow: ['view', 'upload'], persons: [] as string[] } as unknown as Guest;
const taken = (day: number): Image =>
  ({ imageId: `p${day}`, takenAt: new Date(Date.UTC(2025, 0, day)).toISOString(), favorite: false, urls: {} }) as Image;

let photos: Image[];
let asked: string[];
let hold: Promise<void> | null;
let errors: unknown[];
let shelf: Shelf;

/** The album, newest first; the cursor is a place in it. */
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
  shelf.hear({ albumId: 'a', photo: { imageId: image.imageId } } as Parameters<Shelf['hear']>[0]);
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', answer);
  photos = Array.from({ length: COUNT }, (_, at) => taken(2 * (COUNT - at)));
  [asked, errors, hold] = [[], [], null];
  shelf = new Shelf(
    () => guest,
    (error) => errors.push(error),
  );
});

afterEach(() => {
  shelf.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  expect(errors).toEqual([]);
});

it('a photo that belongs far down appears there, in an album that is all loaded', async () => {
  await shelf.show('album');
  await shelf.lists.album.loadMore();
  expect(shelf.lists.album.isComplete).toBe(true);
  add(taken(5));
  await passed(SOON);
  expect(shelf.lists.album.indexOf('p5')).toBe(photos.findIndex(({ imageId }) => imageId === 'p5'));
});

it('a steady flow of events postpones nothing, and takes no renewal’s place', async () => {
  await shelf.show('mine');
  await shelf.lists.mine.loadMore();
  asked = [];
  shelf.renew();
  for (let event = 0; event < 12; event++) {
    shelf.hear({ albumId: 'a' } as Parameters<Shelf['hear']>[0]);
    await passed(SOON / 4);
  }
  await passed(SOON);
  expect(calls('GET /api/guest/photos')).toBeGreaterThanOrEqual(3);
  expect(calls('GET /api/guest/photos')).toBeLessThanOrEqual(4);
  expect(shelf.lists.mine.count).toBe(COUNT); // and not the first page of it
});

it('an answer from before a heart was given does not take it away', async () => {
  await shelf.show('album');
  let release = (): void => undefined;
  hold = new Promise((go) => (release = go));
  shelf.renew();
  await passed(SOON + 1);
  await shelf.mark(shelf.lists.album.images[0] as Image);
  release();
  await passed(0);
  expect(shelf.lists.album.images[0]?.favorite).toBe(true);
});
