/** Where a photo that has come belongs in a list of which only the beginning is loaded, and its first page is new. */
import type { AlbumOrder, Image } from '$lib/api/shapes';

const timeOf = (image: Image): string => image.takenAt ?? image.uploaded_datetime ?? '';

/** The list with it, or as it was where it belongs behind what is loaded; what was just added is on the first page. */
export function placed(
  images: readonly Image[],
  image: Image,
  order: AlbumOrder,
  isComplete: boolean,
): readonly Image[] {
  if (order === 'added' || images.some(({ imageId }) => imageId === image.imageId)) return images;
  const later = order === 'hand' ? -1 : images.findIndex((each) => timeOf(each) < timeOf(image));
  if (later >= 0) return [...images.slice(0, later), image, ...images.slice(later)];
  return isComplete ? [...images, image] : images;
}
