/** Data of a photo tile, from a photo or from a month's columns. */
import type { Image, Month } from '../api/types';

export type RenditionSize = 'thumb' | 'medium' | 'large' | 'video' | 'original';

export interface Tile {
  readonly id: string;
  /** Width by height; 1 if unknown. */
  readonly ratio: number;
  /** Base64; empty if there is none. */
  readonly thumbhash: string;
  readonly isVideo: boolean;
  /** Seconds of the video or live photo. */
  readonly duration: number;
  /** Time taken or, if unknown, uploaded. */
  readonly time: string;
  /** UTC offset of the photographer's clock, such as `+02:00`; empty if unknown. */
  readonly offset: string;
  readonly favorite: boolean;
  /** Address of a rendition; undefined while it is not made. */
  readonly url: (size: RenditionSize) => string | undefined;
}

export function tileOfPhoto(image: Image): Tile {
  return {
    id: image.imageId,
    ratio: image.aspectRatio ?? 1,
    thumbhash: image.thumbhash ?? '',
    isVideo: image.assetType === 'VIDEO',
    duration: image.duration ?? 0,
    time: image.takenAt ?? image.uploaded_datetime ?? '',
    offset: image.takenOffset ?? '',
    favorite: image.favorite,
    url: (size) => image.urls[size],
  };
}

/** Photo at this index of a month that was requested with `signed=true`. */
export function tileOfMonth(month: Month, at: number, isFavorite: boolean): Tile {
  const id = month.ids[at] ?? '';
  const query = month.queries?.[at] ?? '';
  return {
    id,
    ratio: month.ratios[at] ?? 1,
    thumbhash: month.thumbhashes[at] ?? '',
    isVideo: month.kinds[at] === 'VIDEO',
    duration: month.durations[at] ?? 0,
    time: month.times[at] ?? '',
    offset: month.offsets[at] ?? '',
    favorite: isFavorite,
    url: (size) => (size === 'original' ? `/api/photos/${id}/original` : `/media/${id}/${size}?${query}`),
  };
}

/** Such as `1:02`, or `1:00:07`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, '0') : String(part))).join(':');
}

/** Interface of an ordered, partly loaded row of photos, which the viewer walks through. */
export interface PhotoSequence {
  /** Number of photos, as far as known. */
  readonly count: number;
  /** Photo at this index, if it is loaded. */
  at(index: number): Tile | undefined;
  /** Photo at this index, loaded on demand; undefined if there is none. */
  load(index: number): Promise<Tile | undefined>;
  /** Index of a photo, or -1 if unknown. */
  indexOf(id: string): number;
  /** Shows a change at once, and returns its undo. */
  show?(ids: readonly string[], shown: { readonly gone: true } | { readonly favorite: boolean }): () => void;
}

/** Tile of a photo on the page, if there is one. */
export const tileElementOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-photo="${CSS.escape(id)}"]`);

/** Tile that contains an element. */
export const tileElementAt = (element: unknown): HTMLElement | null =>
  element instanceof Element ? element.closest<HTMLElement>('[data-photo]') : null;
