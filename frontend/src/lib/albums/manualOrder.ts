/** Manual order of album photos: drag and drop, and the request that moves them. */
import type { Action } from 'svelte/action';
import { api, unwrap } from '../api/client';
import { t } from '../i18n/i18n.svelte';
import type { PagedPhotos } from '../photos/pagedPhotos.svelte';
import { tileElementAt } from '../photos/tile';
import { toastError, toasts } from '../ui/toasts.svelte';

/** Order after moving some photos before another one, or to the end if that is null. */
export function reorder(order: readonly string[], moved: ReadonlySet<string>, before: string | null): string[] {
  const others = order.filter((id) => !moved.has(id));
  const at = before === null ? others.length : others.indexOf(before);
  if (at < 0) return [...order];
  return [...others.slice(0, at), ...order.filter((id) => moved.has(id)), ...others.slice(at)];
}

/** First photo after this one that is not moved; null at the end. */
export function nextUnmoved(order: readonly string[], id: string, moved: ReadonlySet<string>): string | null {
  return order.slice(order.indexOf(id) + 1).find((each) => !moved.has(each)) ?? null;
}

interface ReorderOptions {
  /** A photo was dropped on one half of another one. */
  readonly ondrop: (id: string, target: string, side: 'before' | 'after') => void;
}

/** Makes tiles draggable by mouse; on touch screens the menu moves photos. */
export const dragToReorder: Action<HTMLElement, ReorderOptions | null> = (root, options) => {
  let now = options;
  let dragged: string | null = null;
  let marked: HTMLElement | null = null;

  const sideOf = (tile: HTMLElement, event: DragEvent): 'before' | 'after' => {
    const { left, width } = tile.getBoundingClientRect();
    const isLeft = event.clientX < left + width / 2;
    return isLeft === (getComputedStyle(tile).direction === 'ltr') ? 'before' : 'after';
  };
  function mark(tile: HTMLElement | null, side = '') {
    if (marked && marked !== tile) delete marked.dataset['drop'];
    if (tile) tile.dataset['drop'] = side;
    marked = tile;
  }
  function pointerdown(event: PointerEvent) {
    const tile = tileElementAt(event.target);
    if (tile) tile.draggable = now !== null && event.pointerType === 'mouse';
  }
  function dragstart(event: DragEvent) {
    dragged = tileElementAt(event.target)?.dataset['photo'] ?? null;
    if (!dragged || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', dragged);
  }
  function dragover(event: DragEvent) {
    const tile = tileElementAt(event.target);
    if (!dragged || !tile || tile.dataset['photo'] === dragged) return mark(null);
    event.preventDefault();
    mark(tile, sideOf(tile, event));
  }
  function drop(event: DragEvent) {
    const tile = tileElementAt(event.target);
    const target = tile?.dataset['photo'];
    if (!dragged || !tile || !target || target === dragged) return;
    event.preventDefault();
    now?.ondrop(dragged, target, sideOf(tile, event));
  }
  function dragend() {
    dragged = null;
    mark(null);
  }

  const handlers = { pointerdown, dragstart, dragover, drop, dragend };
  for (const [name, listener] of Object.entries(handlers)) root.addEventListener(name, listener as EventListener);
  return { update: (next) => void (now = next) };
};

const AT_ONCE = 500; // photos that the server moves at once

/** Moves photos before another one or to the end, which may be beyond the loaded ones. Shown at once; on failure the
 * list is reset.
 */
export async function movePhotos(list: PagedPhotos, albumId: string, ids: readonly string[], before: string | null) {
  const moved = new Set(ids);
  const images = new Map(list.items.map((image) => [image.imageId, image]));
  const order = [...images.keys()];
  const back = ids.length === 1 && ids[0] !== undefined ? nextUnmoved(order, ids[0], new Set()) : undefined;
  try {
    if (before === null && !list.isComplete) list.drop(ids);
    else list.items = reorder(order, moved, before).flatMap((id) => images.get(id) ?? []);
    await send(albumId, ids, before);
  } catch (error) {
    toastError(error);
    await list.reset().catch(toastError);
    return;
  }
  const isBackKnown = back !== undefined && (back !== null || list.isComplete);
  const undo = () => void movePhotos(list, albumId, ids, back ?? null);
  toasts.say(t('albums.moved', { n: ids.length }), isBackKnown ? undo : undefined);
}

async function send(albumId: string, ids: readonly string[], before: string | null): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const body = { ids: ids.slice(at, at + AT_ONCE), ...(before !== null && { before }) };
    await unwrap(api.POST('/api/albums/{albumId}/photos/move', { params: { path: { albumId } }, body }));
  }
}
