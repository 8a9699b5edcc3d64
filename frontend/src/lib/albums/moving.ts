/** Photos of an album that are put elsewhere by hand: shown at once, and as the server has them where that fails. */
import { api, told } from '../api/client';
import { t } from '../i18n/i18n.svelte';
import type { ImageList } from '../photos/imageList.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import { arranged, following } from './arranging';

const AT_ONCE = 500; // that the server moves together

/** Before another photo, or to the end: which may be beyond what is loaded. */
export async function move(list: ImageList, albumId: string, ids: readonly string[], before: string | null) {
  const moved = new Set(ids);
  const images = new Map(list.images.map((image) => [image.imageId, image]));
  const order = [...images.keys()];
  const back = ids.length === 1 && ids[0] !== undefined ? following(order, ids[0], new Set()) : undefined;
  try {
    if (before === null && !list.isComplete) list.drop(ids);
    else list.images = arranged(order, moved, before).flatMap((id) => images.get(id) ?? []);
    await send(albumId, ids, before);
  } catch (error) {
    failed(error);
    await list.reset().catch(failed);
    return;
  }
  const isBackKnown = back !== undefined && (back !== null || list.isComplete);
  const undo = () => void move(list, albumId, ids, back ?? null);
  toasts.say(t('albums.moved', { n: ids.length }), isBackKnown ? undo : undefined);
}

async function send(albumId: string, ids: readonly string[], before: string | null): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const body = { ids: ids.slice(at, at + AT_ONCE), ...(before !== null && { before }) };
    await told(api.POST('/api/albums/{albumId}/photos/move', { params: { path: { albumId } }, body }));
  }
}
