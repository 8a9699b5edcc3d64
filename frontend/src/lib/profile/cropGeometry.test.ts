import { describe, expect, it } from 'vitest';
import { clampCrop, moveCrop, cropSquare, WHOLE_CROP } from './cropGeometry';

const WIDE = { width: 400, height: 200 };

describe('a square of a picture', () => {
  it('is the largest in the middle to begin with', () => {
    expect(cropSquare(WIDE, WHOLE_CROP)).toEqual({ left: 100, top: 0, side: 200 });
  });

  it('shrinks as the picture is enlarged', () => {
    expect(cropSquare(WIDE, { ...WHOLE_CROP, zoom: 2 })).toEqual({ left: 150, top: 50, side: 100 });
  });

  it('follows the hand the other way', () => {
    const view = moveCrop(WIDE, WHOLE_CROP, 50, 0, 200);
    expect(cropSquare(WIDE, view).left).toBe(50);
  });

  it('never leaves the picture', () => {
    const view = moveCrop(WIDE, WHOLE_CROP, -10_000, 10_000, 200);
    expect(cropSquare(WIDE, view)).toEqual({ left: 200, top: 0, side: 200 });
    expect(clampCrop(WIDE, { x: -3, y: 7, zoom: 99 }).zoom).toBe(4);
  });

  it('comes back inside when it grows again', () => {
    const corner = clampCrop(WIDE, { x: 0, y: 0, zoom: 4 });
    expect(cropSquare(WIDE, clampCrop(WIDE, { ...corner, zoom: 1 }))).toEqual({ left: 0, top: 0, side: 200 });
  });
});
