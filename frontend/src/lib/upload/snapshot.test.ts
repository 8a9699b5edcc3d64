import { expect, test } from 'vitest';
import { newItem, NOTHING_SAID, type Item } from './item';
import { NOTHING, progressOf } from './snapshot';

const item = (changes: Partial<Item>): Item => ({
  ...newItem(new File(['x'.repeat(10)], 'a.jpg'), NOTHING_SAID, 0),
  ...changes,
});

test('it counts what has gone and the one that goes', () => {
  const items = [item({ state: 'done' }), item({ state: 'sending', sent: 5 }), item({}), item({ state: 'refused' })];
  expect(progressOf({ ...NOTHING, items })).toMatchObject({ phase: 'sending', at: 2, total: 3, share: 0.5, failed: 1 });
});

test('what finds no room is no part of it', () => {
  const items = [item({ state: 'making' }), item({})];
  const progress = progressOf({ ...NOTHING, items, over: [items[1]?.id ?? ''] });
  expect(progress).toMatchObject({ phase: 'over', total: 1, share: 1, making: 1 });
});

test('it is paused when all that has to go is', () => {
  const items = [item({ paused: true }), item({ state: 'done' })];
  expect(progressOf({ ...NOTHING, items }).phase).toBe('paused');
});

test('it ends when the last photo is made', () => {
  const items = [item({ state: 'making' }), item({ state: 'duplicate' })];
  expect(progressOf({ ...NOTHING, items })).toMatchObject({ phase: 'making', arrived: 2 });
  expect(progressOf({ ...NOTHING, items: items.slice(1) }).phase).toBe('ended');
});
