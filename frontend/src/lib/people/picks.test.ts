import { describe, expect, it } from 'vitest';
import { Picks } from './picks.svelte';

const ORDER = ['a', 'b', 'c', 'd'];
const picked = (picks: Picks) => ORDER.filter((id) => picks.has(id));

describe('what is picked', () => {
  it('is picked by one click, and let go by the next', () => {
    const picks = new Picks();
    picks.pick('b', false, ORDER);
    expect(picked(picks)).toEqual(['b']);
    picks.pick('b', false, ORDER);
    expect(picks.size).toBe(0);
  });

  it('is all between two with shift, in either direction', () => {
    const picks = new Picks();
    picks.pick('d', false, ORDER);
    picks.pick('b', true, ORDER);
    expect(picked(picks)).toEqual(['b', 'c', 'd']);
  });

  it('is one alone with shift where nothing was picked before', () => {
    const picks = new Picks();
    picks.pick('c', true, ORDER);
    expect(picked(picks)).toEqual(['c']);
  });
});
