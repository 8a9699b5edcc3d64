/** Geometry of the zoomed picture: fit, limits and boxes. All values are CSS pixels from the middle of the stage. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Part of the picture that is shown: `scale` is 1 if all of it fits; x and y are the offset of its middle. */
export type ZoomView = { readonly scale: number; readonly x: number; readonly y: number };

/** Part of a picture, in shares of its width and height from the top left corner. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const FITTED_VIEW: ZoomView = { scale: 1, x: 0, y: 0 };

const LEAST_MOST = 3;
const MOST = 20;
const DOUBLE = { least: 2, most: 4 };
const GIVE = 0.35; // share of a drag beyond a limit that is followed

/** Largest size of this ratio (width by height) within the room; a picture of few pixels is at most doubled. */
export function fit(ratio: number, { width, height }: Size, natural: number | null = null): Size {
  const widest = Math.min(width, height * ratio, natural ? 2 * natural : Infinity);
  return { width: widest, height: widest / ratio };
}

/** Largest scale: until a pixel of the picture is two pixels wide; three if its size is unknown. */
export function mostScale(natural: number | null, fitted: Size): number {
  const sharp = natural && fitted.width ? natural / fitted.width : 1;
  return Math.min(MOST, Math.max(LEAST_MOST, 2 * sharp));
}

/** Scale of a double click: one pixel by one pixel, within limits. */
export function doubleScale(natural: number | null, fitted: Size): number {
  const sharp = natural && fitted.width ? natural / fitted.width : DOUBLE.least;
  return Math.min(DOUBLE.most, Math.max(DOUBLE.least, sharp));
}

/** The view at another scale, in which the point of the picture under `at` stays in place. */
export function zoomedAt(view: ZoomView, scale: number, at: Point): ZoomView {
  const by = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by };
}

/** Largest offset of the picture's middle without a gap at an edge. */
export function slack(scale: number, fitted: Size, room: Size): Point {
  return {
    x: Math.max(0, (fitted.width * scale - room.width) / 2),
    y: Math.max(0, (fitted.height * scale - room.height) / 2),
  };
}

/** Nearest view without a gap at an edge. */
export function clampView(view: ZoomView, fitted: Size, room: Size): ZoomView {
  const limit = slack(view.scale, fitted, room);
  return { scale: view.scale, x: between(view.x, -limit.x, limit.x), y: between(view.y, -limit.y, limit.y) };
}

/** The same during a drag, which is followed beyond the limit in part. */
export function rubberBandView(view: ZoomView, fitted: Size, room: Size): ZoomView {
  const limit = clampView(view, fitted, room);
  return { scale: view.scale, x: rubberBand(view.x, limit.x), y: rubberBand(view.y, limit.y) };
}

export const rubberBand = (wanted: number, limit: number): number => limit + (wanted - limit) * GIVE;

/** Scale of a pinch, damped beyond the limits. */
export function pinchScale(wanted: number, most: number): number {
  if (wanted > most) return most * (wanted / most) ** GIVE;
  return wanted < 1 ? wanted ** 0.7 : wanted;
}

/** Position of a part of the picture, from the top left corner of the stage. */
export function placeBox(box: Box, view: ZoomView, fitted: Size, room: Size): Box {
  const width = fitted.width * view.scale;
  const height = fitted.height * view.scale;
  return {
    left: room.width / 2 + view.x - width / 2 + box.left * width,
    top: room.height / 2 + view.y - height / 2 + box.top * height,
    width: box.width * width,
    height: box.height * height,
  };
}

/** Part of the picture between two points on the stage; null if it is too small. */
export function boxBetween(one: Point, other: Point, view: ZoomView, fitted: Size): Box | null {
  const [left, right] = sorted(one.x, other.x, (x) => share(x - view.x, fitted.width * view.scale));
  const [top, bottom] = sorted(one.y, other.y, (y) => share(y - view.y, fitted.height * view.scale));
  const box = { left, top, width: right - left, height: bottom - top };
  return box.width < 0.005 || box.height < 0.005 ? null : box;
}

/** The box moved and resized by shares of the picture, without leaving it. */
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

/** Whether the box contains the point; both in the same unit. */
export const holds = (box: Box, { x, y }: Point): boolean =>
  x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;

export const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

const share = (offMiddle: number, length: number): number => between(offMiddle / length + 0.5, 0, 1);

function sorted(one: number, other: number, as: (value: number) => number): [number, number] {
  return [as(Math.min(one, other)), as(Math.max(one, other))];
}
