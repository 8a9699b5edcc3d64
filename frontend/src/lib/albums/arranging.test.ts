import { describe, expect, it } from 'vitest';
import { arranged, following } from './arranging';

const order = ['a', 'b', 'c', 'd', 'e'];

describe('an order by hand', () => {
  it('puts photos before another one, in their own order', () => {
    expect(arranged(order, new Set(['d', 'b']), 'a')).toEqual(['b', 'd', 'a', 'c', 'e']);
  });
  it('puts them at the end where no other one is named', () => {
    expect(arranged(order, new Set(['a', 'c']), null)).toEqual(['b', 'd', 'e', 'a', 'c']);
  });
  it('stays as it is where the other one is not there, or moves itself', () => {
    expect(arranged(order, new Set(['a']), 'x')).toEqual(order);
    expect(arranged(order, new Set(['a', 'b']), 'b')).toEqual(order);
  });
  it('knows which photo comes behind one, past those that are moved', () => {
    expect(following(order, 'b', new Set(['c']))).toBe('d');
    expect(following(order, 'd', new Set(['e']))).toBeNull();
  });
});
