/** Photos in an order by hand: where they come to lie, and how they are dragged there. */
import type { Action } from 'svelte/action';
import { near } from '../timeline/focus';

/** The order once these are put before another one; at the end where that is null. They keep their own order. */
export function arranged(order: readonly string[], moved: ReadonlySet<string>, before: string | null): string[] {
  const others = order.filter((id) => !moved.has(id));
  const at = before === null ? others.length : others.indexOf(before);
  if (at < 0) return [...order];
  return [...others.slice(0, at), ...order.filter((id) => moved.has(id)), ...others.slice(at)];
}

/** The first photo behind this one that is not moved itself; null at the end. */
export function following(order: readonly string[], id: string, moved: ReadonlySet<string>): string | null {
  return order.slice(order.indexOf(id) + 1).find((each) => !moved.has(each)) ?? null;
}

interface Wish {
  /** A photo was dropped on one half of another one. */
  readonly ondrop: (id: string, target: string, side: 'before' | 'after') => void;
}

/** Tiles within can be dragged with a mouse: fingers scroll and pick, and have the menu to move photos by. */
export const arranging: Action<HTMLElement, Wish | null> = (root, wish) => {
  let now = wish;
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
    const tile = near(event.target);
    if (tile) tile.draggable = now !== null && event.pointerType === 'mouse';
  }
  function dragstart(event: DragEvent) {
    dragged = near(event.target)?.dataset['photo'] ?? null;
    if (!dragged || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', dragged);
  }
  function dragover(event: DragEvent) {
    const tile = near(event.target);
    if (!dragged || !tile || tile.dataset['photo'] === dragged) return mark(null);
    event.preventDefault();
    mark(tile, sideOf(tile, event));
  }
  function drop(event: DragEvent) {
    const tile = near(event.target);
    const target = tile?.dataset['photo'];
    if (!dragged || !tile || !target || target === dragged) return;
    event.preventDefault();
    now?.ondrop(dragged, target, sideOf(tile, event));
  }
  function dragend() {
    dragged = null;
    mark(null);
  }

  const heard = { pointerdown, dragstart, dragover, drop, dragend };
  for (const [name, listener] of Object.entries(heard)) root.addEventListener(name, listener as EventListener);
  return { update: (next) => void (now = next) };
};
