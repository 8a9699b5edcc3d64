import { describe, expect, it } from 'vitest';
import {
  doubleScale,
  boxBetween,
  fit,
  clampView,
  holds,
  mostScale,
  nudged,
  pinchScale,
  placeBox,
  rubberBandView,
  FITTED_VIEW,
  zoomedAt,
  type ZoomView,
} from './geometry';

const ROOM = { width: 1000, height: 500 };

describe('fit', () => {
  it('fills the width with what is wider than the room', () => {
    expect(fit(4, ROOM)).toEqual({ width: 1000, height: 250 });
  });
  it('does not blow up what has few pixels', () => {
    expect(fit(1, ROOM, 100)).toEqual({ width: 200, height: 200 });
    expect(fit(1, ROOM, 5000)).toEqual({ width: 500, height: 500 });
  });
  it('fills the height with what is narrower', () => {
    expect(fit(0.5, ROOM)).toEqual({ width: 250, height: 500 });
  });
});

describe('zoom limits', () => {
  const fitted = { width: 1000, height: 500 };
  it('go to two pixels of the screen for one of the picture', () => {
    expect(mostScale(4000, fitted)).toBe(8);
  });
  it('let small pictures and those of unknown size be zoomed, too', () => {
    expect(mostScale(200, fitted)).toBe(3);
    expect(mostScale(null, fitted)).toBe(3);
  });
  it('end somewhere for the largest of pictures', () => {
    expect(mostScale(100_000, fitted)).toBe(20);
  });
  it('make a double click show pixel by pixel, within reason', () => {
    expect(doubleScale(3000, fitted)).toBe(3);
    expect(doubleScale(500, fitted)).toBe(2);
    expect(doubleScale(30_000, fitted)).toBe(4);
    expect(doubleScale(null, fitted)).toBe(2);
  });
  it('follow two fingers beyond them, but less and less', () => {
    expect(pinchScale(2, 4)).toBe(2);
    expect(pinchScale(8, 4)).toBeGreaterThan(4);
    expect(pinchScale(8, 4)).toBeLessThan(6);
    expect(pinchScale(0.5, 4)).toBeGreaterThan(0.5);
  });
});

describe('zooming at a point', () => {
  it('keeps what is under it', () => {
    const at = { x: 120, y: -40 };
    const before: ZoomView = { scale: 1.5, x: 30, y: 10 };
    const after = zoomedAt(before, 3, at);
    const under = (view: ZoomView) => [(at.x - view.x) / view.scale, (at.y - view.y) / view.scale];
    expect(under(after)).toEqual(under(before));
  });
  it('comes back to where it was', () => {
    const at = { x: 120, y: -40 };
    expect(zoomedAt(zoomedAt(FITTED_VIEW, 4, at), 1, at)).toEqual(FITTED_VIEW);
  });
});

describe('panning', () => {
  const fitted = { width: 1000, height: 250 };
  it('ends at the edges', () => {
    expect(clampView({ scale: 3, x: 5000, y: -5000 }, fitted, ROOM)).toEqual({ scale: 3, x: 1000, y: -125 });
  });
  it('keeps the middle where the picture is smaller than the room', () => {
    expect(clampView({ scale: 1.5, x: 0, y: 80 }, fitted, ROOM).y).toBe(0);
  });
  it('is followed a little beyond them', () => {
    const { x } = rubberBandView({ scale: 3, x: 1100, y: 0 }, fitted, ROOM);
    expect(x).toBeGreaterThan(1000);
    expect(x).toBeLessThan(1050);
  });
});

describe('boxes', () => {
  const fitted = { width: 500, height: 500 };
  const box = { left: 0.5, top: 0.25, width: 0.1, height: 0.2 };
  it('lie on the fitted picture', () => {
    expect(placeBox(box, FITTED_VIEW, fitted, ROOM)).toEqual({ left: 500, top: 125, width: 50, height: 100 });
  });
  it('move and grow with it', () => {
    expect(placeBox(box, { scale: 2, x: 10, y: -20 }, fitted, ROOM)).toEqual({
      left: 510,
      top: -20,
      width: 100,
      height: 200,
    });
  });
  it('are drawn in shares of the picture, from any corner', () => {
    const view = { scale: 2, x: 100, y: 0 };
    const corners = [
      { x: 100, y: 0 },
      { x: 350, y: -250 },
    ] as const;
    const expected = { left: 0.5, top: 0.25, width: 0.25, height: 0.25 };
    expect(boxBetween(corners[0], corners[1], view, fitted)).toEqual(expected);
    expect(boxBetween(corners[1], corners[0], view, fitted)).toEqual(expected);
  });
  it('do not reach beyond it, and are not drawn by a click', () => {
    expect(boxBetween({ x: -9000, y: -9000 }, { x: 9000, y: 9000 }, FITTED_VIEW, fitted)).toEqual({
      left: 0,
      top: 0,
      width: 1,
      height: 1,
    });
    expect(boxBetween({ x: 5, y: 5 }, { x: 6, y: 6 }, FITTED_VIEW, fitted)).toBeNull();
  });
  it('are moved and stretched inside it', () => {
    expect(nudged({ left: 0.9, top: 0, width: 0.1, height: 0.1 }, { x: 0.5, y: -0.5 })).toEqual({
      left: 0.9,
      top: 0,
      width: 0.1,
      height: 0.1,
    });
    expect(nudged({ left: 0.5, top: 0.5, width: 0.5, height: 0.5 }, { x: 0, y: 0 }, { x: 0.25, y: 0 })).toMatchObject({
      left: 0.25,
      width: 0.75,
    });
  });
  it('know what is inside them', () => {
    expect(holds(box, { x: 0.55, y: 0.3 })).toBe(true);
    expect(holds(box, { x: 0.45, y: 0.3 })).toBe(false);
  });
});
