import { describe, expect, it, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => undefined });
vi.stubGlobal('navigator', { languages: ['en-GB'] });

const { nextUnmoved, reorder } = await import('./manualOrder');

const order = ['a', 'b', 'c', 'd', 'e'];

describe('an order by hand', () => {
  it('puts photos before another one, in their own order', () => {
    expect(reorder(order, new Set(['d', 'b']), 'a')).toEqual(['b', 'd', 'a', 'c', 'e']);
  });
  it('puts them at the end where no other one is named', () => {
    expect(reorder(order, new Set(['a', 'c']), null)).toEqual(['b', 'd', 'e', 'a', 'c']);
  });
  it('stays as it is where the other one is not there, or moves itself', () => {
    expect(reorder(order, new Set(['a']), 'x')).toEqual(order);
    expect(reorder(order, new Set(['a', 'b']), 'b')).toEqual(order);
  });
  it('knows which photo comes behind one, past those that are moved', () => {
    expect(nextUnmoved(order, 'b', new Set(['c']))).toBe('d');
    expect(nextUnmoved(order, 'd', new Set(['e']))).toBeNull();
  });
});
