/** Geometry of a square crop: zoom, limits and movement. */

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** `x` and `y` are the middle of the square, as shares of the picture; `zoom` 1 is the largest square. */
export interface CropView {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const MAX_CROP_ZOOM = 4;
export const WHOLE_CROP: CropView = { x: 0.5, y: 0.5, zoom: 1 };

/** Square in pixels of the picture. */
export function cropSquare(
  { width, height }: PictureSize,
  view: CropView,
): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / view.zoom;
  return { left: view.x * width - side / 2, top: view.y * height - side / 2, side };
}

/** The nearest view whose square lies inside the picture. */
export function clampCrop({ width, height }: PictureSize, view: CropView): CropView {
  const zoom = clamp(view.zoom, 1, MAX_CROP_ZOOM);
  const half = Math.min(width, height) / zoom / 2;
  return { zoom, x: clamp(view.x, half / width, 1 - half / width), y: clamp(view.y, half / height, 1 - half / height) };
}

/** View after a drag: `dx` and `dy` are pixels of a window that is `shown` wide. */
export function moveCrop(size: PictureSize, view: CropView, dx: number, dy: number, shown: number): CropView {
  const scale = cropSquare(size, view).side / shown;
  return clampCrop(size, { ...view, x: view.x - (dx * scale) / size.width, y: view.y - (dy * scale) / size.height });
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
