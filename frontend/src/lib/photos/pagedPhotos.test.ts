import { expect, it } from 'vitest';
import type { Image } from '../api/types';
import { PagedPhotos, type PhotoPage } from './pagedPhotos.svelte';

const PAGE = 3;

/** Server with photos in pages; `isCut` makes it unreachable. */
class Server {
  ids: string[];
  isCut = false;
  asked = 0;

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, at) => `p${at}`);
  }

  ask = async (cursor: string | undefined, limit = 0): Promise<PhotoPage> => {
    this.asked += 1;
    if (this.isCut) throw new Error('cut');
    const from = cursor === undefined ? 0 : this.ids.indexOf(cursor) + 1;
    const ids = this.ids.slice(from, from + Math.max(PAGE, limit));
    const hasMore = from + ids.length < this.ids.length;
    return {
      images: ids.map((imageId) => ({ imageId }) as Image),
      lastEvaluatedKey: hasMore ? (ids.at(-1) ?? null) : null,
    };
  };
}

const shown = (list: PagedPhotos): string => list.items.map(({ imageId }) => imageId).join(' ');

async function loaded(server: Server, pages: number): Promise<PagedPhotos> {
  const list = new PagedPhotos(server.ask);
  for (let page = 0; page < pages; page++) await list.loadMore();
  return list;
}

it('a list is renewed as far as it is shown, and goes on behind that', async () => {
  const server = new Server(9);
  const list = await loaded(server, 2);
  server.ids = server.ids.filter((id) => id !== 'p1');
  await list.reload();
  expect(shown(list)).toBe('p0 p2 p3 p4 p5 p6');
  await list.loadMore();
  expect(shown(list)).toBe('p0 p2 p3 p4 p5 p6 p7 p8');
  expect(list.isComplete).toBe(true);
});

it('a page that is on its way while the list is renewed comes all the same, once', async () => {
  const server = new Server(9);
  const list = await loaded(server, 1);
  server.ids = ['new', ...server.ids];
  await Promise.all([list.reload(), list.loadMore()]);
  expect(shown(list)).toMatch(/^new p0 p1( p2 p3 p4)/);
  expect(new Set(list.items.map(({ imageId }) => imageId)).size).toBe(list.count);
});

it('of two renewals the later one counts', async () => {
  const server = new Server(3);
  const list = await loaded(server, 1);
  const earlier = list.reload();
  server.ids = ['new', ...server.ids];
  await Promise.all([list.reload(), earlier]);
  expect(list.indexOf('new')).toBe(0);
});

it('what failed is told, and may be asked for again', async () => {
  const server = new Server(5);
  server.isCut = true;
  const list = new PagedPhotos(server.ask);
  await expect(list.reload()).rejects.toThrow('cut');
  expect([list.hasFailed, list.isComplete]).toEqual([true, false]);
  server.isCut = false;
  await list.reload();
  expect([list.hasFailed, list.count]).toEqual([false, 3]);
  server.isCut = true;
  await expect(list.loadMore()).rejects.toThrow('cut');
  expect([list.hasFailed, list.count]).toEqual([true, 3]);
  server.isCut = false;
  await list.loadMore();
  expect([list.hasFailed, list.count]).toEqual([false, 5]);
});
