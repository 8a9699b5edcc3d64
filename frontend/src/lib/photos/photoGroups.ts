/** Grouping of photos by upload batch and by month. */
import type { Image } from '../api/types';
import { toWallClock } from '../ui/dates';

export interface UploadGroup {
  /** Id of its newest photo: it stays the same while older ones load. */
  readonly id: string;
  readonly uploadedBy: string;
  readonly time: string;
  readonly images: readonly Image[];
}

const TOGETHER = 3 * 60 * 60 * 1000;

/** Groups of photos that one member uploaded within three hours, in the order of the list. */
export function groupByUpload(images: readonly Image[]): UploadGroup[] {
  const groups: { id: string; uploadedBy: string; time: string; images: Image[] }[] = [];
  for (const image of images) {
    const last = groups.at(-1);
    const previous = last?.images.at(-1);
    if (last && previous && last.uploadedBy === (image.uploadedBy ?? '') && isSoonAfter(previous, image))
      last.images.push(image);
    else groups.push(begun(image));
  }
  return groups;
}

const timeOf = (image: Image): string => image.uploaded_datetime ?? '';

const isSoonAfter = (newer: Image, older: Image): boolean =>
  Date.parse(timeOf(newer)) - Date.parse(timeOf(older)) <= TOGETHER;

const begun = (image: Image) => ({
  id: image.imageId,
  uploadedBy: image.uploadedBy ?? '',
  time: timeOf(image),
  images: [image],
});

export interface MonthGroup {
  /** Such as `2025-06`, by the photographer's clock. */
  readonly month: string;
  readonly images: readonly Image[];
}

type Timed = Pick<Image, 'takenAt' | 'takenOffset' | 'uploaded_datetime'>;

export function monthTaken({ takenAt, takenOffset, uploaded_datetime: uploaded }: Timed): string {
  const wall = takenAt
    ? toWallClock(takenAt, takenOffset ?? '')
    : toWallClock(uploaded ?? new Date(0).toISOString(), '');
  return wall.slice(0, 7);
}

export function groupByMonth(images: readonly Image[]): MonthGroup[] {
  const groups: { month: string; images: Image[] }[] = [];
  for (const image of images) {
    const month = monthTaken(image);
    const last = groups.at(-1);
    if (last?.month === month) last.images.push(image);
    else groups.push({ month, images: [image] });
  }
  return groups;
}
