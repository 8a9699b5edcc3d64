/** A square of a picture: what stays of it when it is moved and enlarged under a round window. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** `x` and `y` are the middle of the square, as shares of the picture; `zoom` 1 is the largest square there is. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const MOST = 4;
export const WHOLE: View = { x: 0.5, y: 0.5, zoom: 1 };

/** In pixels of the picture. */
export function squareOf({ width, height }: Size, view: View): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / view.zoom;
  return { left: view.x * width - side / 2, top: view.y * height - side / 2, side };
}

/** The nearest view whose square lies inside the picture. */
export function inside({ width, height }: Size, view: View): View {
  const zoom = clamp(view.zoom, 1, MOST);
  const half = Math.min(width, height) / zoom / 2;
  return { zoom, x: clamp(view.x, half / width, 1 - half / width), y: clamp(view.y, half / height, 1 - half / height) };
}

/** The picture follows the hand: `dx` and `dy` are pixels of a window that is `shown` wide. */
export function moved(size: Size, view: View, dx: number, dy: number, shown: number): View {
  const scale = squareOf(size, view).side / shown;
  return inside(size, { ...view, x: view.x - (dx * scale) / size.width, y: view.y - (dy * scale) / size.height });
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
