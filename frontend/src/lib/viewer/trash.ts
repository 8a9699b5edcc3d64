/** Throwing the open photo away, or out of its album, and taking it back. */
import type { OpenAlbum } from '../albums/openAlbum.svelte';
import { putInto, takeOut } from '../albums/photoDeeds';
import { api, told } from '../api/client';
import { ApiError } from '../api/errors';
import { t, type Key } from '../i18n/i18n.svelte';
import type { Outcome } from '../photos/changes';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import type { Walk } from './walk.svelte';

async function ask(path: '/api/photos/trash' | '/api/photos/restore', id: string): Promise<void> {
  const { results } = await told(api.POST(path, { body: { ids: [id] } }));
  const [result] = results;
  if (result?.error) throw new ApiError(409, result.error, result.message ?? '', null, {});
}

/** The next photo is shown at once; the toast brings this one back. */
async function letGo(walk: Walk, id: string, away: () => Promise<void>, back: () => Promise<void>, said: Key) {
  const leaving = walk.leave(id);
  try {
    await away();
  } catch (error) {
    walk.bringBack(id);
    failed(error);
    return;
  }
  await leaving;
  toasts.say(t(said, { n: 1 }), () => void takeBack());

  async function takeBack() {
    try {
      await back();
    } catch (error) {
      failed(error);
      return;
    }
    walk.bringBack(id);
  }
}

export const throwAway = (walk: Walk, id: string): Promise<void> =>
  letGo(
    walk,
    id,
    () => ask('/api/photos/trash', id),
    () => ask('/api/photos/restore', id),
    'viewer.trashed',
  );

/** Out of the album that it is looked at in. */
export const takeOutOf = (album: OpenAlbum, walk: Walk, id: string): Promise<void> =>
  letGo(
    walk,
    id,
    async () => checked(await takeOut(album.id, [id])),
    async () => checked(await putInto(album.id, [id])),
    'albums.takenOut',
  );

function checked({ refused, message }: Outcome): void {
  if (refused.length) throw new ApiError(409, '', message ?? '', null, {});
}

/** One that is open out of the trash. */
export async function restore(walk: Walk, id: string): Promise<void> {
  try {
    await ask('/api/photos/restore', id);
    toasts.say(t('viewer.restored'));
    await walk.leave(id);
  } catch (error) {
    failed(error);
  }
}
