/** Photos in the order of a list, told apart by their months. */
import type { Image } from '../api/shapes';
import { wallClock } from '../viewer/taken';

export interface MonthGroup {
  /** As `2025-06`, by the photographer's clock. */
  readonly month: string;
  readonly images: readonly Image[];
}

type Timed = Pick<Image, 'takenAt' | 'takenOffset' | 'uploaded_datetime'>;

export function monthOf({ takenAt, takenOffset, uploaded_datetime: uploaded }: Timed): string {
  const wall = takenAt ? wallClock(takenAt, takenOffset ?? '') : wallClock(uploaded ?? new Date(0).toISOString(), '');
  return wall.slice(0, 7);
}

export function byMonth(images: readonly Image[]): MonthGroup[] {
  const groups: { month: string; images: Image[] }[] = [];
  for (const image of images) {
    const month = monthOf(image);
    const last = groups.at(-1);
    if (last?.month === month) last.images.push(image);
    else groups.push({ month, images: [image] });
  }
  return groups;
}
