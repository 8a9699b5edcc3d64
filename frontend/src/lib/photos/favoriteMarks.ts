/** Favorites being marked, which older responses must not revert. */
import { api, unwrap } from '../api/client';
import type { ImageDetails } from '../api/types';
interface Mark {
  readonly ids: readonly string[];
  readonly favorite: boolean;
  /** Time of the server's confirmation. */
  until: number;
}

const LONGEST = 60_000; // longest request, in milliseconds
let marks: readonly Mark[] = [];

/** `asked` is the request that marks these photos. */
export async function trackFavorite<T>(ids: readonly string[], favorite: boolean, asked: Promise<T>): Promise<T> {
  const mark: Mark = { ids, favorite, until: Infinity };
  marks = [...marks.filter(({ until }) => until > Date.now() - LONGEST), mark];
  try {
    const done = await asked;
    mark.until = Date.now();
    return done;
  } catch (error) {
    mark.until = 0;
    throw error;
  }
}

/** Marks that a response requested at this time may not have: photo ids with their value. */
export function pendingFavoritesSince(asked: number): ReadonlyMap<string, boolean> {
  const late = marks.filter(({ until }) => until > asked);
  return new Map(late.flatMap(({ ids, favorite }) => ids.map((id) => [id, favorite])));
}

const about = (imageId: string) => ({ params: { path: { imageId } } });

export async function fetchPhoto(imageId: string): Promise<ImageDetails> {
  const asked = Date.now();
  const image = await unwrap(api.GET('/api/photos/{imageId}', about(imageId)));
  return { ...image, favorite: pendingFavoritesSince(asked).get(imageId) ?? image.favorite };
}

export async function setFavorite(imageId: string, favorite: boolean): Promise<void> {
  const path = '/api/photos/{imageId}/favorite';
  const asked = favorite ? api.PUT(path, about(imageId)) : api.DELETE(path, about(imageId));
  await trackFavorite([imageId], favorite, unwrap<unknown>(asked));
}
