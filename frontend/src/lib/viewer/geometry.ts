/** Where a picture is on the stage. All is in CSS pixels, measured from the middle of the stage. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How a picture is looked at: `scale` is 1 where all of it fits; x and y tell how far its middle is off. */
export type View = { readonly scale: number; readonly x: number; readonly y: number };

/** A part of a picture, in shares of its width and height from the left upper corner. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const WHOLE: View = { scale: 1, x: 0, y: 0 };

const LEAST_MOST = 3;
const MOST = 20;
const DOUBLE = { least: 2, most: 4 };
const GIVE = 0.35; // how much of a pull beyond a limit is followed

/** The largest picture of this ratio (width by height) that the room holds; one of few pixels is made twice as large. */
export function fit(ratio: number, { width, height }: Size, natural: number | null = null): Size {
  const widest = Math.min(width, height * ratio, natural ? 2 * natural : Infinity);
  return { width: widest, height: widest / ratio };
}

/** How far one may zoom in: until a pixel of the picture is two wide; where nobody knows its size, three times. */
export function mostScale(natural: number | null, fitted: Size): number {
  const sharp = natural && fitted.width ? natural / fitted.width : 1;
  return Math.min(MOST, Math.max(LEAST_MOST, 2 * sharp));
}

/** What a double click zooms to: a pixel by a pixel, unless that were hardly larger or far too large. */
export function doubleScale(natural: number | null, fitted: Size): number {
  const sharp = natural && fitted.width ? natural / fitted.width : DOUBLE.least;
  return Math.min(DOUBLE.most, Math.max(DOUBLE.least, sharp));
}

/** The view with another scale, in which the point of the picture that is under `at` stays there. */
export function zoomedAt(view: View, scale: number, at: Point): View {
  const by = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by };
}

/** How far the middle of the picture may be off, in each direction, without a gap at an edge. */
export function slack(scale: number, fitted: Size, room: Size): Point {
  return {
    x: Math.max(0, (fitted.width * scale - room.width) / 2),
    y: Math.max(0, (fitted.height * scale - room.height) / 2),
  };
}

/** The nearest view that shows no gap at an edge. */
export function held(view: View, fitted: Size, room: Size): View {
  const limit = slack(view.scale, fitted, room);
  return { scale: view.scale, x: between(view.x, -limit.x, limit.x), y: between(view.y, -limit.y, limit.y) };
}

/** The same for a hand that still pulls: it is followed beyond the limit, but reluctantly. */
export function pulled(view: View, fitted: Size, room: Size): View {
  const limit = held(view, fitted, room);
  return { scale: view.scale, x: yielding(view.x, limit.x), y: yielding(view.y, limit.y) };
}

export const yielding = (wanted: number, limit: number): number => limit + (wanted - limit) * GIVE;

/** A scale that two fingers ask for, as far as it is followed. */
export function pinched(wanted: number, most: number): number {
  if (wanted > most) return most * (wanted / most) ** GIVE;
  return wanted < 1 ? wanted ** 0.7 : wanted;
}

/** Where a part of the picture is seen, from the left upper corner of the stage. */
export function placed(box: Box, view: View, fitted: Size, room: Size): Box {
  const width = fitted.width * view.scale;
  const height = fitted.height * view.scale;
  return {
    left: room.width / 2 + view.x - width / 2 + box.left * width,
    top: room.height / 2 + view.y - height / 2 + box.top * height,
    width: box.width * width,
    height: box.height * height,
  };
}

/** The part of the picture between two corners on the stage; none where it would be hardly more than a point. */
export function drawn(one: Point, other: Point, view: View, fitted: Size): Box | null {
  const [left, right] = sorted(one.x, other.x, (x) => share(x - view.x, fitted.width * view.scale));
  const [top, bottom] = sorted(one.y, other.y, (y) => share(y - view.y, fitted.height * view.scale));
  const box = { left, top, width: right - left, height: bottom - top };
  return box.width < 0.005 || box.height < 0.005 ? null : box;
}

/** The box moved by shares of the picture, and stretched, without leaving it. */
export function nudged(box: Box, move: Point, grow: Point = { x: 0, y: 0 }): Box {
  const width = between(box.width + grow.x, 0.02, 1);
  const height = between(box.height + grow.y, 0.02, 1);
  return {
    left: between(box.left + move.x, 0, 1 - width),
    top: between(box.top + move.y, 0, 1 - height),
    width,
    height,
  };
}

/** Whether the box holds the point; both in the same measure. */
export const holds = (box: Box, { x, y }: Point): boolean =>
  x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;

export const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

const share = (offMiddle: number, length: number): number => between(offMiddle / length + 0.5, 0, 1);

function sorted(one: number, other: number, as: (value: number) => number): [number, number] {
  return [as(Math.min(one, other)), as(Math.max(one, other))];
}
