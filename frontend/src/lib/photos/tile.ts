/** A photo as lists draw it, wherever it comes from: a month's columns or a page of images. */
import type { Image, Month } from '../api/shapes';

export type Size = 'thumb' | 'medium' | 'large' | 'video' | 'original';

export interface Tile {
  readonly id: string;
  /** Width by height; 1 where nobody knows. */
  readonly ratio: number;
  /** In base64; empty where there is none. */
  readonly thumbhash: string;
  readonly isVideo: boolean;
  /** Seconds of a video, or of the film behind a live photo. */
  readonly duration: number;
  /** When it was taken or, where nobody knows, uploaded. */
  readonly time: string;
  /** Of the photographer's clock, as `+02:00`; empty where nobody knows. */
  readonly offset: string;
  readonly favorite: boolean;
  /** Where a size is found; undefined while it has not been made. */
  readonly url: (size: Size) => string | undefined;
}

export function tileOfImage(image: Image): Tile {
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

/** The photo at this place of a month that was asked for with `signed=true`. */
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

/** As `1:02`, or `1:00:07`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, '0') : String(part))).join(':');
}
