import { expect, test } from 'vitest';
import { parseTags } from './tagInput';

test('typed tags are separated by commas, and each is there once', () => {
  expect(parseTags(['Sea'], ' sun, sea ,, Sun,sand ')).toEqual(['Sea', 'sun', 'sand']);
  expect(parseTags([], '  ')).toEqual([]);
});
