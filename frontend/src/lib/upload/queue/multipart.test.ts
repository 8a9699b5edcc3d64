import { expect, test } from 'vitest';
import { bytesOf, missingParts, partsOf } from './multipart';

const MIB = 1024 * 1024;

test('parts cover the file, and the last one is what is left', () => {
  const pieces = partsOf(20 * MIB + 1, 8 * MIB);
  expect(pieces.map(({ start, end }) => end - start)).toEqual([8 * MIB, 8 * MIB, 4 * MIB + 1]);
  expect(pieces.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(bytesOf(pieces)).toBe(20 * MIB + 1);
});

test('a file of whole parts has no empty one at its end', () => {
  expect(partsOf(16, 8)).toEqual([
    { number: 1, start: 0, end: 8 },
    { number: 2, start: 8, end: 16 },
  ]);
});

test('what has arrived is not missing', () => {
  expect(missingParts(30, 8, [1, 3]).map(({ number }) => number)).toEqual([2, 4]);
  expect(missingParts(30, 8, [1, 2, 3, 4])).toEqual([]);
});
