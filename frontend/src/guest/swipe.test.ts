import { expect, it } from 'vitest';
import { swipeStep } from './swipe';

it('a finger that goes far enough leads on, in the direction of reading', () => {
  expect([swipeStep(-80, false), swipeStep(80, false)]).toEqual([1, -1]);
  expect([swipeStep(-80, true), swipeStep(80, true)]).toEqual([-1, 1]);
});
it('a little moves nothing', () => {
  expect([swipeStep(-20, false), swipeStep(20, true)]).toEqual([0, 0]);
});
