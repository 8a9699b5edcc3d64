import { expect, it } from 'vitest';
import { stepOf } from './swipe';

it('a finger that goes far enough leads on, in the direction of reading', () => {
  expect([stepOf(-80, false), stepOf(80, false)]).toEqual([1, -1]);
  expect([stepOf(-80, true), stepOf(80, true)]).toEqual([-1, 1]);
});
it('a little moves nothing', () => {
  expect([stepOf(-20, false), stepOf(20, true)]).toEqual([0, 0]);
});
