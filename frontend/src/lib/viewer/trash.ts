/** Throwing the open photo away, and taking it back. */
import { api, told } from '../api/client';
import { ApiError } from '../api/errors';
import { t } from '../i18n/i18n.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import type { Walk } from './walk.svelte';

async function ask(path: '/api/photos/trash' | '/api/photos/restore', id: string): Promise<void> {
  const { results } = await told(api.POST(path, { body: { ids: [id] } }));
  const [result] = results;
  if (result?.error) throw new ApiError(409, result.error, result.message ?? '', null, {});
}

/** The next photo is shown at once; the toast brings this one back. */
export async function throwAway(walk: Walk, id: string): Promise<void> {
  const leaving = walk.leave(id);
  try {
    await ask('/api/photos/trash', id);
  } catch (error) {
    walk.bringBack(id);
    failed(error);
    return;
  }
  await leaving;
  toasts.say(t('viewer.trashed'), () => void takeBack());

  async function takeBack() {
    try {
      await ask('/api/photos/restore', id);
    } catch (error) {
      failed(error);
      return;
    }
    walk.bringBack(id);
  }
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
