/** Uploads that belong together: of one member, shortly after each other. */
import type { Image } from '../api/shapes';

export interface Group {
  /** Of its newest photo: stays the same while older ones are loaded. */
  readonly id: string;
  readonly uploadedBy: string;
  readonly time: string;
  readonly images: readonly Image[];
}

const TOGETHER = 3 * 60 * 60 * 1000;

/** Images, newest first, as groups in the same order. */
export function grouped(images: readonly Image[]): Group[] {
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
