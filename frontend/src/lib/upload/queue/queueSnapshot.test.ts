import { expect, test } from 'vitest';
import { newQueueItem, DEFAULT_UPLOAD_OPTIONS, type QueueItem } from './queueItem';
import { EMPTY_SNAPSHOT, progressOf } from './queueSnapshot';

const item = (changes: Partial<QueueItem>): QueueItem => ({
  ...newQueueItem(new File(['x'.repeat(10)], 'a.jpg'), DEFAULT_UPLOAD_OPTIONS, 0),
  ...changes,
});

test('it counts what has gone and the one that goes', () => {
  const items = [item({ state: 'done' }), item({ state: 'sending', sent: 5 }), item({}), item({ state: 'refused' })];
  expect(progressOf({ ...EMPTY_SNAPSHOT, items })).toMatchObject({
    phase: 'sending',
    at: 2,
    total: 3,
    share: 0.5,
    failed: 1,
  });
});

test('what finds no room is no part of it', () => {
  const items = [item({ state: 'making' }), item({})];
  const progress = progressOf({ ...EMPTY_SNAPSHOT, items, over: [items[1]?.id ?? ''] });
  expect(progress).toMatchObject({ phase: 'over', total: 1, share: 1, making: 1 });
});

test('it is paused when all that has to go is', () => {
  const items = [item({ paused: true }), item({ state: 'done' })];
  expect(progressOf({ ...EMPTY_SNAPSHOT, items }).phase).toBe('paused');
});

test('it ends when the last photo is made', () => {
  const items = [item({ state: 'making' }), item({ state: 'duplicate' })];
  expect(progressOf({ ...EMPTY_SNAPSHOT, items })).toMatchObject({ phase: 'making', arrived: 2 });
  expect(progressOf({ ...EMPTY_SNAPSHOT, items: items.slice(1) }).phase).toBe('ended');
});
