import { describe, expect, it } from 'vitest';
import type { Image } from '../api/shapes';
import { byMonth, monthOf } from './months';

const image = (imageId: string, takenAt: string, takenOffset?: string) =>
  ({ imageId, takenAt, takenOffset }) as unknown as Image;

describe('months of what was found', () => {
  it('go by the photographer’s clock', () => {
    expect(monthOf(image('a', '2025-06-30T23:00:00Z', '+02:00'))).toBe('2025-07');
    expect(monthOf(image('a', '2025-07-01T03:00:00Z', '-05:00'))).toBe('2025-06');
  });

  it('go by the upload where nobody knows when it was taken', () => {
    expect(monthOf({ uploaded_datetime: '2024-01-31T23:59:59Z', takenOffset: '+02:00' } as Image)).toBe('2024-01');
  });

  it('keep the order of the list', () => {
    const images = [
      image('a', '2025-07-02T00:00:00Z'),
      image('b', '2025-07-01T00:00:00Z'),
      image('c', '2025-06-01T00:00:00Z'),
    ];
    const groups = byMonth(images).map(({ month, images: some }) => [month, some.map(({ imageId }) => imageId)]);
    expect(groups).toEqual([
      ['2025-07', ['a', 'b']],
      ['2025-06', ['c']],
    ]);
  });
});
