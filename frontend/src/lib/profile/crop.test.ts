import { describe, expect, it } from 'vitest';
import { inside, moved, squareOf, WHOLE } from './crop';

const WIDE = { width: 400, height: 200 };

describe('a square of a picture', () => {
  it('is the largest in the middle to begin with', () => {
    expect(squareOf(WIDE, WHOLE)).toEqual({ left: 100, top: 0, side: 200 });
  });

  it('shrinks as the picture is enlarged', () => {
    expect(squareOf(WIDE, { ...WHOLE, zoom: 2 })).toEqual({ left: 150, top: 50, side: 100 });
  });

  it('follows the hand the other way', () => {
    const view = moved(WIDE, WHOLE, 50, 0, 200);
    expect(squareOf(WIDE, view).left).toBe(50);
  });

  it('never leaves the picture', () => {
    const view = moved(WIDE, WHOLE, -10_000, 10_000, 200);
    expect(squareOf(WIDE, view)).toEqual({ left: 200, top: 0, side: 200 });
    expect(inside(WIDE, { x: -3, y: 7, zoom: 99 }).zoom).toBe(4);
  });

  it('comes back inside when it grows again', () => {
    const corner = inside(WIDE, { x: 0, y: 0, zoom: 4 });
    expect(squareOf(WIDE, inside(WIDE, { ...corner, zoom: 1 }))).toEqual({ left: 0, top: 0, side: 200 });
  });
});
