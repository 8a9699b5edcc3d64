import { describe, expect, test } from 'vitest';
import { Selection } from './selection.svelte';

const ORDER = ['a', 'b', 'c', 'd', 'e'];
const idsOf = (selection: Selection) => [...selection.ids].sort();

describe('a selection', () => {
  test('picks a photo, and lets go of it again', () => {
    const selection = new Selection();
    selection.toggle('b');
    expect(selection.has('b')).toBe(true);
    selection.toggle('b');
    expect(selection.size).toBe(0);
  });

  test('picks all up to a photo, in both directions', () => {
    const selection = new Selection();
    selection.toggle('b');
    selection.toggle('d', { range: true, order: ORDER });
    expect(idsOf(selection)).toEqual(['b', 'c', 'd']);
    selection.toggle('a', { range: true, order: ORDER });
    expect(idsOf(selection)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('waits for what is between where it has to be loaded', async () => {
    const selection = new Selection();
    selection.toggle('a');
    await selection.extendTo('c', async (from, to) => [from, 'b', to]);
    expect(idsOf(selection)).toEqual(['a', 'b', 'c']);
  });

  test('picks one alone where none was picked before, or the items between are unknown', async () => {
    const selection = new Selection();
    selection.toggle('c', { range: true, order: ORDER });
    expect(idsOf(selection)).toEqual(['c']);
    selection.toggle('z', { range: true, order: ORDER });
    await selection.extendTo('y', () => []);
    expect(idsOf(selection)).toEqual(['c', 'y', 'z']);
  });

  test('picks a whole day, and lets go of it where all of it was picked', () => {
    const selection = new Selection();
    selection.toggle('a');
    selection.toggleAll(['a', 'b']);
    expect(idsOf(selection)).toEqual(['a', 'b']);
    selection.toggleAll(['a', 'b']);
    expect(selection.size).toBe(0);
  });

  test('forgets what is gone, and all when it is cleared', () => {
    const selection = new Selection();
    selection.toggleAll(ORDER);
    selection.drop(['a', 'z']);
    expect(idsOf(selection)).toEqual(['b', 'c', 'd', 'e']);
    selection.clear();
    expect(selection.size).toBe(0);
    expect(selection.last).toBeNull();
  });
});

const LETTERS = ['a', 'b', 'c', 'd'];
const selected = (selection: Selection) => LETTERS.filter((id) => selection.has(id));

describe('what is selected of people or faces', () => {
  test('is picked by one click, and let go by the next', () => {
    const selection = new Selection();
    selection.toggle('b', { range: false, order: LETTERS });
    expect(selected(selection)).toEqual(['b']);
    selection.toggle('b', { range: false, order: LETTERS });
    expect(selection.size).toBe(0);
  });

  test('is all between two with shift, in either direction', () => {
    const selection = new Selection();
    selection.toggle('d', { range: false, order: LETTERS });
    selection.toggle('b', { range: true, order: LETTERS });
    expect(selected(selection)).toEqual(['b', 'c', 'd']);
  });

  test('is one alone with shift where nothing was picked before', () => {
    const selection = new Selection();
    selection.toggle('c', { range: true, order: LETTERS });
    expect(selected(selection)).toEqual(['c']);
  });
});
