import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Unreachable } from '../../api/errors';
import { UploadUrlExpired, MOST_TRIES } from './failures';
import { FakeClock, FakeServer, refusal } from './fakes';
import { QueueDatabase } from './queueDatabase';
import { DEFAULT_UPLOAD_OPTIONS, type QueueItem, type ItemState } from './queueItem';
import { UploadQueue } from './uploadQueue';

let name = 0;
let server: FakeServer;
let clock: FakeClock;
let kept: QueueDatabase;
let queue: UploadQueue;
let isOnline: boolean;
let away: number;

const file = (title: string, size = 5): File => new File(['x'.repeat(size)], title, { type: 'image/jpeg' });
const items = (): readonly QueueItem[] => queue.snapshot.items;
const one = (title: string): QueueItem => {
  const found = items().find((item) => item.name === title);
  if (!found) throw new Error(`${title} is not in the queue`);
  return found;
};
const states = (): Record<string, ItemState> => Object.fromEntries(items().map((item) => [item.name, item.state]));
const until = (check: () => unknown): Promise<void> => vi.waitFor(() => expect(check()).toBeTruthy());
const add = (...files: File[]): Promise<void> => queue.add(files, DEFAULT_UPLOAD_OPTIONS);
const calls = (kind: string): string[] => server.log.filter((line) => line.startsWith(kind));
const hasArrived = (title: string) => ['making', 'done', 'duplicate'].includes(one(title).state);

function opened(): UploadQueue {
  kept = new QueueDatabase(`queue-${name}`);
  return new UploadQueue({
    kept,
    transport: server,
    clock,
    askRoom: () => server.askRoom(),
    isOnline: () => isOnline,
    chance: () => 0.5,
    onchange: () => undefined,
    onaway: () => (away += 1),
  });
}

/** As a browser does: requests under way end, and the next page loads what was stored. */
async function reload(): Promise<void> {
  queue.stop();
  kept.close();
  queue = opened();
  await queue.start();
}

beforeEach(async () => {
  name += 1;
  isOnline = true;
  away = 0;
  server = new FakeServer();
  clock = new FakeClock();
  queue = opened();
  await queue.start();
});

afterEach(() => {
  queue.stop();
  kept.close();
});

describe('who comes again', () => {
  test.each([403, 404])('begins anew with what was reserved for another account (%d)', async (status) => {
    server.hold();
    await add(file('a.jpg'));
    await until(() => one('a.jpg').imageId);
    server.fail('read', refusal(status, 'NO'));
    const before = reload();
    server.release();
    await before;
    await until(() => hasArrived('a.jpg'));
    expect(calls('reserve')).toHaveLength(2);
    expect([...server.photos.values()]).toEqual(['a.jpg']);
  });

  test('goes on with the bytes after being signed out for a while', async () => {
    server.fail('reserve', refusal(401, 'NOT_SIGNED_IN'));
    await add(file('a.jpg'));
    await until(() => away === 1);
    expect(states()).toEqual({ 'a.jpg': 'waiting' });
    await reload();
    await until(() => hasArrived('a.jpg'));
  });

  test('finds nothing of a queue that was deleted while it was open', async () => {
    const gone = indexedDB.deleteDatabase(`queue-${name}`);
    await new Promise((done, held) => {
      gone.onsuccess = done;
      gone.onblocked = held;
    });
  });
});

describe('the way through', () => {
  test('a small file goes in one piece, a large one in parts', async () => {
    await add(file('small.jpg', 20), file('large.jpg', 35));
    await until(() => hasArrived('small.jpg') && hasArrived('large.jpg'));
    expect([...server.photos.values()].sort()).toEqual(['large.jpg', 'small.jpg']);
    expect(calls('send').filter((line) => line.includes('/'))).toHaveLength(4);
  });

  test('files go in the order in which they were chosen, three at a time', async () => {
    server.hold();
    await add(...['a', 'b', 'c', 'd', 'e'].map((title) => file(title)));
    await until(() => server.sending === 3);
    expect(calls('reserve').sort()).toEqual(['reserve a', 'reserve b', 'reserve c']); // started together
    expect(states()).toMatchObject({ c: 'sending', d: 'waiting', e: 'waiting' });
    server.release();
    await until(() => server.photos.size === 5);
    expect(calls('reserve').slice(3).sort()).toEqual(['reserve d', 'reserve e']);
  });

  test('three requests are under way at most, parts of large files too', async () => {
    server.hold();
    await add(file('a', 95), file('b', 95), file('c', 5));
    await until(() => server.sending === 3);
    server.release();
    await until(() => server.photos.size === 3);
    expect(server.mostSending).toBe(3);
  });

  test('what the server makes of it is told as it happens, even before the answer', async () => {
    await add(file('a'), file('b'));
    await until(() => one('a').state === 'making' && one('b').state === 'making');
    await queue.onPhotoEvent({ imageId: one('a').imageId ?? '', processingStatus: 'completed' });
    await queue.onPhotoEvent({
      imageId: one('b').imageId ?? '',
      processingStatus: 'failed',
      processingError: 'It is cut off.',
    });
    expect(states()).toEqual({ a: 'done', b: 'failed' });
    expect(one('b').reason).toBe('It is cut off.');
    server.hold();
    await add(file('c'));
    await until(() => one('c').imageId);
    await queue.onPhotoEvent({ imageId: one('c').imageId ?? '', processingStatus: 'completed' });
    server.release();
    await until(() => one('c').state === 'done');
  });

  test('what was missed is asked for', async () => {
    await add(file('a'));
    await until(() => one('a').state === 'making');
    server.made.set(one('a').imageId ?? '', 'completed');
    await queue.refreshProcessing();
    expect(one('a').state).toBe('done');
  });

  test('a new lot takes the place of one that is over', async () => {
    await add(file('a'));
    await until(() => one('a').state === 'making');
    await queue.onPhotoEvent({ imageId: one('a').imageId ?? '', processingStatus: 'completed' });
    await add(file('b'));
    expect(items().map((item) => item.name)).toEqual(['b']);
  });
});

describe('breaks', () => {
  test('after a reload it goes on, and each file arrives once', async () => {
    server.hold();
    await add(...['a', 'b', 'c', 'd', 'e'].map((title) => file(title)));
    await until(() => server.sending === 3);
    await reload();
    server.release();
    await until(() => server.photos.size === 5 && items().every((item) => item.state === 'making'));
    expect([...server.photos.values()].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(server.reservations.size).toBe(0);
    expect(calls('reserve')).toHaveLength(5);
  });

  test('after a reload a large file goes on with the parts that are missing', async () => {
    server.fail('send', new Unreachable(), { times: 1 });
    await add(file('large', 65));
    await until(() => one('large').state === 'waiting');
    const before = calls('send').length;
    const there = [...server.reservations.values()][0]?.parts.size ?? 0;
    expect(there).toBeGreaterThan(0);
    await reload();
    await until(() => one('large').state === 'making');
    expect(calls('send').length - before).toBe(7 - there);
    expect(calls('reserve')).toHaveLength(1);
  });

  test('a place whose answer was lost is not taken twice', async () => {
    server.fail('reserve', new Unreachable(), { after: true });
    await add(file('a'));
    await until(() => one('a').tries === 1);
    await reload();
    await until(() => one('a').state === 'making');
    expect(server.room.photos).toBe(99);
    expect(server.reservations.size).toBe(0);
  });

  test('an answer that was lost makes no second photo', async () => {
    server.fail('complete', new Unreachable(), { after: true });
    await add(file('a'));
    await until(() => one('a').state === 'waiting' && one('a').isCompleting);
    await reload();
    await until(() => one('a').state === 'making');
    expect(server.photos.size).toBe(1);
    expect(calls('send')).toHaveLength(1);
  });

  test('the lost answer to a duplicate is asked for again', async () => {
    server.knowsHashes = false;
    await add(file('a'));
    await until(() => one('a').state === 'making');
    server.fail('complete', new Unreachable(), { after: true });
    await add(file('a'));
    await until(() => items().filter((item) => item.isCompleting && item.state === 'waiting').length === 1);
    clock.pass(60_000);
    await until(() => items().filter((item) => item.state === 'duplicate').length === 1);
    expect(server.photos.size).toBe(1);
    expect(calls('send')).toHaveLength(2);
  });

  test('a reservation that is gone is made anew', async () => {
    server.fail('send', new Unreachable());
    await add(file('a'));
    await until(() => one('a').state === 'waiting' && one('a').imageId);
    server.reservations.clear();
    clock.pass(60_000);
    await until(() => one('a').state === 'making');
    expect(calls('reserve')).toHaveLength(2);
  });

  test('a dropped network is waited for, ever longer, and for as long as it takes', async () => {
    server.isCut = true;
    await add(file('a'));
    await until(() => one('a').tries === 1);
    expect(queue.snapshot.isWeak).toBe(true);
    for (const tries of [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      clock.pass(100);
      expect(calls('reserve')).toHaveLength(tries - 1);
      clock.pass(60_000);
      await until(() => calls('reserve').length === tries && one('a').state === 'waiting');
    }
    server.isCut = false;
    server.fail('reserve', refusal(502, 'STARTING'));
    queue.wake();
    await until(() => calls('reserve').length === 13 && one('a').state === 'waiting');
    clock.pass(60_000);
    await until(() => one('a').state === 'making');
    expect(queue.snapshot.isWeak).toBe(false);
  });

  test('while the browser is offline nothing is begun', async () => {
    isOnline = false;
    await add(file('a'));
    expect(server.log).toEqual([]);
    expect(queue.snapshot.isWeak).toBe(true);
    isOnline = true;
    queue.wake();
    await until(() => one('a').state === 'making');
  });

  test('a server that asks for time is given it', async () => {
    server.fail('reserve', refusal(503, 'BUSY', { after: 30 }));
    await add(file('a'));
    await until(() => one('a').tries === 1);
    clock.pass(29_000);
    expect(calls('reserve')).toHaveLength(1);
    clock.pass(1_500);
    await until(() => one('a').state === 'making');
  });

  test('a server that keeps failing is not asked for ever, but when the user retries', async () => {
    server.fail('reserve', refusal(500, 'INTERNAL'), { times: 9 });
    await add(file('a'));
    await until(() => {
      clock.pass(70_000);
      return one('a').state === 'failed';
    });
    expect(calls('reserve')).toHaveLength(9);
    await queue.retry(one('a').id);
    await until(() => one('a').state === 'making');
  });

  test.each([
    ['its disk is full', refusal(507, 'STORAGE_FULL')],
    ['the address is over', new UploadUrlExpired(403)],
  ])('bytes that went for nothing, since %s, go ever more seldom, and not for ever', async (_, error) => {
    server.fail('send', error, { times: 99 });
    await add(file('a', 20));
    for (const [tries, wait] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await until(() => one('a').tries === tries + 1);
      clock.pass(wait * 1000 - 1);
      expect(calls('send')).toHaveLength(tries + 1);
      clock.pass(1);
    }
    await until(() => one('a').state === 'failed');
    expect(calls('send')).toHaveLength(MOST_TRIES + 1);
  });

  test('a part that has arrived gives patience back, but not when it is sent once more', async () => {
    server.fail('send image-1/1', refusal(500, 'INTERNAL'), { times: 3 });
    server.fail('complete', refusal(404, 'NOT_FOUND'), { times: 99 });
    await add(file('large', 25));
    await until(() => {
      clock.pass(60_000);
      return one('large').state === 'failed';
    });
    expect(calls('complete')).toHaveLength(MOST_TRIES + 1);
  });

  test('where no user is signed in any more, it stops and stays as it is', async () => {
    server.fail('reserve', refusal(401, 'NOT_SIGNED_IN'));
    await add(file('a'), file('b'));
    await until(() => away > 0);
    await reload();
    await until(() => server.photos.size === 2);
  });
});

describe('a database that is lost', () => {
  const lose = () => vi.spyOn(IDBDatabase.prototype, 'transaction');
  const lost = () => {
    throw new DOMException('The database connection is closing.', 'InvalidStateError');
  };
  afterEach(() => void vi.restoreAllMocks());

  test('is opened again, and what was written down goes', async () => {
    server.hold();
    await add(file('a'), file('b'));
    await until(() => server.sending === 2);
    await reload();
    lose().mockImplementationOnce(lost);
    server.release();
    await until(() => server.photos.size === 2 && items().every((item) => item.state === 'making'));
    await vi.waitFor(async () => expect(await kept.file(one('a').id)).toBeUndefined());
    expect((await kept.items()).map((item) => item.state)).toEqual(['making', 'making']);
  });

  test('makes no failure of a photo that has arrived', async () => {
    server.hold();
    await add(file('a'));
    await until(() => server.sending === 1);
    lose().mockImplementation(lost);
    server.release();
    await until(() => hasArrived('a'));
    expect(queue.snapshot.unkept).toBe(0);
  });

  test('takes nothing from those that are chosen: they go from memory', async () => {
    await add(file('a'));
    await until(() => hasArrived('a'));
    await queue.onPhotoEvent({ imageId: one('a').imageId ?? '', processingStatus: 'completed' });
    lose().mockImplementation(lost);
    await add(file('b'));
    await until(() => hasArrived('b'));
    queue.stop();
    queue = opened();
    await queue.start();
    await add(file('c'));
    await until(() => hasArrived('c'));
  });

  test('is waited for by the files that only it has', async () => {
    isOnline = false;
    await add(file('a'));
    await reload();
    lose().mockImplementation(lost);
    isOnline = true;
    queue.wake();
    await until(() => one('a').tries === 1 && one('a').state === 'waiting');
    vi.restoreAllMocks();
    clock.pass(60_000);
    await until(() => hasArrived('a'));
  });

  test('is not opened again once it was closed for good', async () => {
    kept.close();
    await expect(kept.items()).rejects.toThrow();
  });
});

describe('what is not taken', () => {
  test('a file that is refused says why, and the others go', async () => {
    server.fail('reserve notes.txt', refusal(415, 'UNSUPPORTED_TYPE'));
    await add(file('notes.txt'), file('a'));
    await until(() => hasArrived('a'));
    expect(one('notes.txt')).toMatchObject({ state: 'refused', reason: 'UNSUPPORTED_TYPE happened' });
  });

  test('bytes that are there already are not sent', async () => {
    await add(file('a'));
    await until(() => hasArrived('a'));
    const sent = calls('send').length;
    await add(file('a'));
    await until(() => items().some((item) => item.state === 'duplicate'));
    expect(calls('send')).toHaveLength(sent);
    expect(server.photos.size).toBe(1);
  });

  test('a photo that failed to process is retried on request', async () => {
    await add(file('a'));
    await until(() => one('a').state === 'making');
    await queue.onPhotoEvent({
      imageId: one('a').imageId ?? '',
      processingStatus: 'failed',
      processingError: 'Broken.',
    });
    await queue.retry(one('a').id);
    expect(one('a')).toMatchObject({ state: 'making', reason: null });
    expect(calls('reprocess')).toHaveLength(1);
  });

  test('what is beyond the limit is told before anything is sent, and the rest goes', async () => {
    server.room = { photos: 3, bytes: null };
    server.hold();
    await add(...['a', 'b', 'c', 'd', 'e'].map((title) => file(title)));
    await until(() => server.sending === 3);
    expect(queue.snapshot.over).toEqual([one('d').id, one('e').id]);
    server.release();
    await until(() => server.photos.size === 3);
    expect(calls('reserve')).toHaveLength(3);
    expect(states()).toMatchObject({ d: 'waiting', e: 'waiting' });
  });

  test('when there is room again, what waited for it goes', async () => {
    server.room = { photos: 1, bytes: null };
    await add(file('a'), file('b'));
    await until(() => server.photos.size === 1 && queue.snapshot.over.length === 1);
    server.room = { photos: 1, bytes: null };
    clock.pass(2000);
    await queue.onPhotoEvent({ imageId: 'an older one', gone: true });
    await until(() => server.photos.size === 2);
    expect(queue.snapshot.over).toEqual([]);
  });

  test('a limit that another client used up meanwhile holds the file back without an error', async () => {
    server.fail('reserve', refusal(403, 'UPLOAD_LIMIT_REACHED', { body: { photosLeft: 0, bytesLeft: null } }));
    await add(file('a'));
    await until(() => queue.snapshot.over.length === 1);
    expect(queue.snapshot.isWeak).toBe(false);
  });

  test('bytes count, too', async () => {
    server.room = { photos: 9, bytes: 30 };
    await add(file('a', 20), file('b', 20), file('c', 10));
    expect(queue.snapshot.over).toEqual([one('b').id]);
    await until(() => server.photos.size === 2);
  });
});

describe('what people do', () => {
  test('a paused file waits, also after a reload, and goes on where it was', async () => {
    server.hold();
    await add(file('a', 65), file('b'));
    await until(() => server.sending === 3);
    await queue.pause(one('a').id);
    server.release();
    await until(() => hasArrived('b'));
    expect(one('a')).toMatchObject({ state: 'waiting', paused: true });
    await reload();
    expect(one('a').paused).toBe(true);
    await queue.resume(one('a').id);
    await until(() => hasArrived('a'));
    expect(calls('reserve')).toHaveLength(2);
  });

  test('all of it is paused and goes on', async () => {
    server.hold();
    await add(file('a'), file('b'), file('c'), file('d'));
    await until(() => server.sending === 3);
    await queue.pauseAll();
    server.release();
    await until(() => items().every((item) => item.state === 'waiting' && item.paused));
    expect(server.photos.size).toBe(0);
    await queue.resumeAll();
    await until(() => server.photos.size === 4);
  });

  test('a file that is called back gives its place back', async () => {
    server.hold();
    await add(file('a'), file('b'));
    await until(() => server.sending === 2);
    await queue.cancel(one('a').id);
    expect(items().map((item) => item.name)).toEqual(['b']);
    await until(() => calls('cancel').length === 1);
    server.release();
    await until(() => server.photos.size === 1);
    expect([...server.photos.values()]).toEqual(['b']);
    expect(server.room.photos).toBe(99);
  });

  test('a place is given back later, where there is no network now', async () => {
    server.hold();
    await add(file('a'));
    await until(() => server.sending === 1);
    server.isCut = true;
    await queue.cancel(one('a').id);
    expect(items()).toEqual([]);
    await reload();
    server.isCut = false;
    queue.wake();
    await until(() => server.reservations.size === 0);
    expect(await kept.items()).toEqual([]);
  });

  test('what is a photo by now is only taken off the list', async () => {
    await add(file('a'));
    await until(() => one('a').state === 'making');
    await queue.clear();
    expect(items()).toEqual([]);
    expect(calls('cancel')).toEqual([]);
    expect(server.photos.size).toBe(1);
  });

  test('bytes are not kept longer than they are needed', async () => {
    await add(file('a'));
    const { id } = one('a');
    await until(() => one('a').state === 'making');
    await vi.waitFor(async () => expect(await kept.file(id)).toBeUndefined());
  });
});
