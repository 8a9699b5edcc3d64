/** Where a photo that has just come belongs in a list of which only the beginning is loaded. */
import type { AlbumOrder, Image } from '$lib/api/shapes';

const timeOf = (image: Image): string => image.takenAt ?? image.uploaded_datetime ?? '';

/** The list with it, or as it was where it belongs behind what is loaded. */
export function placed(
  images: readonly Image[],
  image: Image,
  order: AlbumOrder,
  isComplete: boolean,
): readonly Image[] {
  if (images.some(({ imageId }) => imageId === image.imageId)) return images;
  if (order === 'added') return [image, ...images];
  const later = order === 'hand' ? -1 : images.findIndex((each) => timeOf(each) < timeOf(image));
  if (later >= 0) return [...images.slice(0, later), image, ...images.slice(later)];
  return isComplete ? [...images, image] : images;
}
