/** What is listed of albums: those one is a member of, and the photos of one. */
import { api, told } from '../api/client';
import type { Album } from '../api/shapes';
import { Paged } from '../people/paged.svelte';
import type { Ask } from '../people/photosOf';

const page = (cursor: string | undefined, limit: number) => ({ limit, ...(cursor !== undefined && { cursor }) });

/** The last made first. */
export const albumList = (): Paged<Album> =>
  new Paged(
    async (cursor, limit) => {
      const asked = api.GET('/api/albums', { params: { query: page(cursor, limit) } });
      const { albums, lastEvaluatedKey } = await told(asked);
      return { items: albums, next: lastEvaluatedKey };
    },
    ({ albumId }) => albumId,
  );

/** All of them, however many pages that takes. */
export async function allAlbums(): Promise<readonly Album[]> {
  const list = albumList();
  while (!list.isComplete) await list.loadMore();
  return list.items;
}

/** In the album's own order. */
export const photosIn =
  (albumId: string): Ask =>
  (cursor, limit) =>
    told(api.GET('/api/albums/{albumId}/photos', { params: { path: { albumId }, query: page(cursor, limit) } }));

export const photosOfPersonIn =
  (albumId: string, personId: string): Ask =>
  (cursor, limit) => {
    const params = { path: { albumId, personId }, query: page(cursor, limit) };
    return told(api.GET('/api/albums/{albumId}/persons/{personId}/photos', { params }));
  };
