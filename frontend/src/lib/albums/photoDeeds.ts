/** Photos that are put into an album or taken out of it, many at once, and back again. */
import { api, told } from '../api/client';
import type { Album } from '../api/shapes';
import { t } from '../i18n/i18n.svelte';
import { inParts, type Outcome } from '../photos/changes';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';

const quietly: (done: number) => void = () => {};
const within = (albumId: string) => ({ path: { albumId } });

/** `fresh`: those that were not there before. */
interface Added extends Outcome {
  readonly fresh: readonly string[];
}

export async function putInto(albumId: string, ids: readonly string[], progress = quietly): Promise<Added> {
  const fresh: string[] = [];
  const outcome = await inParts(ids, progress, async (part) => {
    const asked = api.PUT('/api/albums/{albumId}/photos', { params: within(albumId), body: { ids: part } });
    const { results } = await told(asked);
    fresh.push(...results.filter(({ status }) => status && status !== 'there').map(({ imageId }) => imageId));
    return results;
  });
  return { ...outcome, fresh };
}

export const takeOut = (albumId: string, ids: readonly string[], progress = quietly): Promise<Outcome> =>
  inParts(ids, progress, async (part) => {
    const asked = api.DELETE('/api/albums/{albumId}/photos', { params: within(albumId), body: { ids: part } });
    return (await told(asked)).results;
  });

/** Puts photos into an album, and says so; whether any is there now. */
export async function addTo({ albumId, title }: Pick<Album, 'albumId' | 'title'>, ids: readonly string[]) {
  const { done, refused, message, fresh } = await putInto(albumId, ids);
  if (refused.length) toasts.say(t('albums.notAdded', { n: refused.length, why: message ?? '' }));
  const undo = () => void takeOut(albumId, fresh).catch(failed);
  if (fresh.length) toasts.say(t('albums.added', { n: fresh.length, album: title }), undo);
  else if (done.length) toasts.say(t('albums.thereAlready', { n: done.length, album: title }));
  return done.length > 0;
}
