import { expect, test } from 'vitest';
import { withTyped } from './tags';

test('typed tags are separated by commas, and each is there once', () => {
  expect(withTyped(['Sea'], ' sun, sea ,, Sun,sand ')).toEqual(['Sea', 'sun', 'sand']);
  expect(withTyped([], '  ')).toEqual([]);
});
