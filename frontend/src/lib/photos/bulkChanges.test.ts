import { describe, expect, test } from 'vitest';
import { inBatches } from './bulkChanges';

const IDS = Array.from({ length: 1200 }, (_, at) => `p${at}`);
const changed = (ids: readonly string[]) => ids.map((imageId) => ({ imageId, status: 'changed' as const }));

describe('a change of many photos', () => {
  test('is asked for in parts that the server takes, and tells how far it is', async () => {
    const parts: number[] = [];
    const told: number[] = [];
    const outcome = await inBatches(
      IDS,
      (done) => told.push(done),
      async (ids) => (parts.push(ids.length), changed(ids)),
    );
    expect(parts).toEqual([500, 500, 200]);
    expect(told).toEqual([500, 1000, 1200]);
    expect(outcome.done).toEqual(IDS);
  });

  test('keeps what was done where a later part fails', async () => {
    const outcome = await inBatches(
      IDS,
      () => {},
      async (ids) => {
        if (ids[0] !== 'p0') throw new Error('no network');
        return changed(ids);
      },
    );
    expect(outcome.done).toHaveLength(500);
    expect(outcome.refused).toHaveLength(700);
    expect(outcome.message).toBe('no network');
  });

  test('fails where nothing was done', async () => {
    const failing = inBatches(
      ['p0'],
      () => {},
      async () => {
        throw new Error('no network');
      },
    );
    await expect(failing).rejects.toThrow('no network');
  });

  test('tells apart what takes it back', async () => {
    const outcome = await inBatches(
      ['a', 'b', 'c'],
      () => {},
      async () => [
        { imageId: 'a', status: 'changed', undo: { removeTags: ['sea'] } },
        { imageId: 'b', status: 'changed' },
        { imageId: 'c', status: 'changed', undo: { removeTags: ['sea'] } },
      ],
    );
    expect(outcome.undo).toEqual([{ ids: ['a', 'c'], wish: { removeTags: ['sea'] } }]);
  });
});
