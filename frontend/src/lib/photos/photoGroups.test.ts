import { expect, test, describe, it } from 'vitest';
import type { Image } from '../api/types';
import { groupByUpload, groupByMonth, monthTaken } from './photoGroups';

const image = (imageId: string, uploadedBy: string, time: string): Image =>
  ({ imageId, uploadedBy, uploaded_datetime: `2026-05-01T${time}:00.000Z` }) as Image;

test('uploads of one member shortly after each other are one group', () => {
  const groups = groupByUpload([image('c', 'ann', '12:10'), image('b', 'ann', '12:05'), image('a', 'ann', '12:00')]);
  expect(groups.map(({ id, images }) => [id, images.length])).toEqual([['c', 3]]);
});

test('another member begins another group', () => {
  const groups = groupByUpload([image('c', 'ann', '12:10'), image('b', 'bob', '12:05'), image('a', 'ann', '12:00')]);
  expect(groups.map(({ uploadedBy }) => uploadedBy)).toEqual(['ann', 'bob', 'ann']);
});

test('a pause of hours begins another group', () => {
  const groups = groupByUpload([image('b', 'ann', '18:00'), image('a', 'ann', '12:00')]);
  expect(groups.map(({ time }) => time)).toEqual(['2026-05-01T18:00:00.000Z', '2026-05-01T12:00:00.000Z']);
});

test('nothing makes no group', () => {
  expect(groupByUpload([])).toEqual([]);
});

const taken = (imageId: string, takenAt: string, takenOffset?: string) =>
  ({ imageId, takenAt, takenOffset }) as unknown as Image;

describe('months of what was found', () => {
  it('go by the photographer’s clock', () => {
    expect(monthTaken(taken('a', '2025-06-30T23:00:00Z', '+02:00'))).toBe('2025-07');
    expect(monthTaken(taken('a', '2025-07-01T03:00:00Z', '-05:00'))).toBe('2025-06');
  });

  it('go by the time of the upload where the capture time is unknown', () => {
    expect(monthTaken({ uploaded_datetime: '2024-01-31T23:59:59Z', takenOffset: '+02:00' } as Image)).toBe('2024-01');
  });

  it('keep the order of the list', () => {
    const images = [
      taken('a', '2025-07-02T00:00:00Z'),
      taken('b', '2025-07-01T00:00:00Z'),
      taken('c', '2025-06-01T00:00:00Z'),
    ];
    const groups = groupByMonth(images).map(({ month, images: some }) => [month, some.map(({ imageId }) => imageId)]);
    expect(groups).toEqual([
      ['2025-07', ['a', 'b']],
      ['2025-06', ['c']],
    ]);
  });
});
