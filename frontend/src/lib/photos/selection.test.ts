import { describe, expect, test } from 'vitest';
import { Selection } from './selection.svelte';

const ORDER = ['a', 'b', 'c', 'd', 'e'];
const idsOf = (selection: Selection) => [...selection.ids].sort();

describe('a selection', () => {
  test('picks a photo, and lets go of it again', () => {
    const selection = new Selection();
    selection.pick('b');
    expect(selection.has('b')).toBe(true);
    selection.pick('b');
    expect(selection.size).toBe(0);
  });

  test('picks all up to a photo, in both directions', () => {
    const selection = new Selection();
    selection.pick('b');
    selection.pick('d', { range: true, order: ORDER });
    expect(idsOf(selection)).toEqual(['b', 'c', 'd']);
    selection.pick('a', { range: true, order: ORDER });
    expect(idsOf(selection)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('waits for what is between where it has to be loaded', async () => {
    const selection = new Selection();
    selection.pick('a');
    await selection.pickTo('c', async (from, to) => [from, 'b', to]);
    expect(idsOf(selection)).toEqual(['a', 'b', 'c']);
  });

  test('picks one alone where none was picked before, or nobody knows what is between', async () => {
    const selection = new Selection();
    selection.pick('c', { range: true, order: ORDER });
    expect(idsOf(selection)).toEqual(['c']);
    selection.pick('z', { range: true, order: ORDER });
    await selection.pickTo('y', () => []);
    expect(idsOf(selection)).toEqual(['c', 'y', 'z']);
  });

  test('picks a whole day, and lets go of it where all of it was picked', () => {
    const selection = new Selection();
    selection.pick('a');
    selection.pickAll(['a', 'b']);
    expect(idsOf(selection)).toEqual(['a', 'b']);
    selection.pickAll(['a', 'b']);
    expect(selection.size).toBe(0);
  });

  test('forgets what is gone, and all when it is cleared', () => {
    const selection = new Selection();
    selection.pickAll(ORDER);
    selection.drop(['a', 'z']);
    expect(idsOf(selection)).toEqual(['b', 'c', 'd', 'e']);
    selection.clear();
    expect(selection.size).toBe(0);
    expect(selection.last).toBeNull();
  });
});
