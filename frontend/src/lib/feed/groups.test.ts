import { expect, test } from 'vitest';
import type { Image } from '../api/shapes';
import { grouped } from './groups';

const image = (imageId: string, uploadedBy: string, time: string): Image =>
  ({ imageId, uploadedBy, uploaded_datetime: `2026-05-01T${time}:00.000Z` }) as Image;

test('uploads of one member shortly after each other are one group', () => {
  const groups = grouped([image('c', 'ann', '12:10'), image('b', 'ann', '12:05'), image('a', 'ann', '12:00')]);
  expect(groups.map(({ id, images }) => [id, images.length])).toEqual([['c', 3]]);
});

test('another member begins another group', () => {
  const groups = grouped([image('c', 'ann', '12:10'), image('b', 'bob', '12:05'), image('a', 'ann', '12:00')]);
  expect(groups.map(({ uploadedBy }) => uploadedBy)).toEqual(['ann', 'bob', 'ann']);
});

test('a pause of hours begins another group', () => {
  const groups = grouped([image('b', 'ann', '18:00'), image('a', 'ann', '12:00')]);
  expect(groups.map(({ time }) => time)).toEqual(['2026-05-01T18:00:00.000Z', '2026-05-01T12:00:00.000Z']);
});

test('nothing makes no group', () => {
  expect(grouped([])).toEqual([]);
});
