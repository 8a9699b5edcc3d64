/** Requests about albums: their lists, their photos, adding and removing photos. */
import { api, unwrap } from '../api/client';
import type { Album } from '../api/types';
import { t } from '../i18n/i18n.svelte';
import { inBatches, type BulkOutcome } from '../photos/bulkChanges';
import type { LoadPhotos } from '../photos/pagedPhotos.svelte';
import { PagedList, pageQuery } from '../ui/pagedList.svelte';
import { toastError, toasts } from '../ui/toasts.svelte';

/** Newest first. */
export const albumList = (): PagedList<Album> =>
  new PagedList(
    async (cursor, limit) => {
      const asked = api.GET('/api/albums', { params: { query: pageQuery(cursor, limit) } });
      const { albums, lastEvaluatedKey } = await unwrap(asked);
      return { items: albums, next: lastEvaluatedKey };
    },
    ({ albumId }) => albumId,
  );

/** All pages. */
export async function allAlbums(): Promise<readonly Album[]> {
  const list = albumList();
  while (!list.isComplete) await list.loadMore();
  return list.items;
}

/** In the album's order. */
export const albumPhotos =
  (albumId: string): LoadPhotos =>
  (cursor, limit) =>
    unwrap(api.GET('/api/albums/{albumId}/photos', { params: { path: { albumId }, query: pageQuery(cursor, limit) } }));

export const personAlbumPhotos =
  (albumId: string, personId: string): LoadPhotos =>
  (cursor, limit) => {
    const params = { path: { albumId, personId }, query: pageQuery(cursor, limit) };
    return unwrap(api.GET('/api/albums/{albumId}/persons/{personId}/photos', { params }));
  };

const quietly: (done: number) => void = () => {};
const within = (albumId: string) => ({ path: { albumId } });

/** `fresh`: photos that were not in the album before. */
interface AddOutcome extends BulkOutcome {
  readonly fresh: readonly string[];
}

export async function addPhotos(albumId: string, ids: readonly string[], progress = quietly): Promise<AddOutcome> {
  const fresh: string[] = [];
  const outcome = await inBatches(ids, progress, async (part) => {
    const asked = api.PUT('/api/albums/{albumId}/photos', { params: within(albumId), body: { ids: part } });
    const { results } = await unwrap(asked);
    fresh.push(...results.filter(({ status }) => status && status !== 'there').map(({ imageId }) => imageId));
    return results;
  });
  return { ...outcome, fresh };
}

export const removePhotos = (albumId: string, ids: readonly string[], progress = quietly): Promise<BulkOutcome> =>
  inBatches(ids, progress, async (part) => {
    const asked = api.DELETE('/api/albums/{albumId}/photos', { params: within(albumId), body: { ids: part } });
    return (await unwrap(asked)).results;
  });

/** Adds photos to an album, with a toast; true if any is in it now. */
export async function addPhotosWithToast({ albumId, title }: Pick<Album, 'albumId' | 'title'>, ids: readonly string[]) {
  const { done, refused, message, fresh } = await addPhotos(albumId, ids);
  if (refused.length) toasts.say(t('albums.notAdded', { n: refused.length, why: message ?? '' }));
  const undo = () => void removePhotos(albumId, fresh).catch(toastError);
  if (fresh.length) toasts.say(t('albums.added', { n: fresh.length, album: title }), undo);
  else if (done.length) toasts.say(t('albums.thereAlready', { n: done.length, album: title }));
  return done.length > 0;
}
