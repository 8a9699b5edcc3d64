/** One photo on the server: read with what is marked here meanwhile, and marked. */
import { api, told } from '../api/client';
import type { ImageDetails } from '../api/shapes';
import { marking, marksSince } from './marking';

const about = (imageId: string) => ({ params: { path: { imageId } } });

export async function readPhoto(imageId: string): Promise<ImageDetails> {
  const asked = Date.now();
  const image = await told(api.GET('/api/photos/{imageId}', about(imageId)));
  return { ...image, favorite: marksSince(asked).get(imageId) ?? image.favorite };
}

export async function setFavorite(imageId: string, favorite: boolean): Promise<void> {
  const path = '/api/photos/{imageId}/favorite';
  const asked = favorite ? api.PUT(path, about(imageId)) : api.DELETE(path, about(imageId));
  await marking([imageId], favorite, told<unknown>(asked));
}
