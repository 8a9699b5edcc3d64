/** Page behind the viewer: made inert, scrolled to the open photo, transition from its tile. */
import { cubicOut } from 'svelte/easing';
import type { TransitionConfig } from 'svelte/transition';
import { tileElementOf } from '../photos/tile';
import { motionDuration } from '../ui/motion';
import { fit } from './geometry';

/** Makes all elements before this one inert until the returned function is called. Elements after it stay active:
 * toasts.
 */
export function makePageInert(element: HTMLElement): () => void {
  const { style, clientWidth } = document.documentElement;
  const before = [...(element.parentElement?.children ?? [])].filter(
    (other): other is HTMLElement =>
      other instanceof HTMLElement && (other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  const inert = before.filter((other) => !other.inert);
  for (const other of inert) other.inert = true;
  const scrollbar = innerWidth - clientWidth;
  style.overflow = 'hidden';
  style.paddingInlineEnd = scrollbar ? `${scrollbar}px` : '';
  return () => {
    for (const other of inert) other.inert = false;
    style.overflow = style.paddingInlineEnd = '';
  };
}

const COVERED = 80; // pixels at the edges that bars may cover

/** Scrolls the page to the open photo, so that it is visible when the viewer closes. */
export function scrollToTile(id: string): void {
  const tile = tileElementOf(id);
  const { top, bottom } = tile?.getBoundingClientRect() ?? { top: COVERED, bottom: 0 };
  if (top < COVERED || bottom > innerHeight - COVERED) tile?.scrollIntoView({ block: 'center' });
}

interface From {
  readonly id: string;
  readonly ratio: number;
}

interface Way {
  readonly direction?: 'in' | 'out' | 'both';
}

/** Transition of the element that contains the picture. Without a visible tile it fades in place. */
export function growFromTile(stage: HTMLElement, from: () => From, { direction }: Way = {}): TransitionConfig {
  const { id, ratio } = from();
  const tile = tileElementOf(id)?.getBoundingClientRect();
  const isSeen = tile && tile.width > 0 && tile.bottom > 0 && tile.top < innerHeight;
  const duration = motionDuration(220);
  if (!isSeen || !duration)
    return { duration, easing: cubicOut, css: (t) => `opacity: ${t}; scale: ${0.96 + 0.04 * t}` };
  const room = stage.getBoundingClientRect();
  const fitted = fit(ratio, room);
  const picture = stage.querySelector('[data-open]')?.getBoundingClientRect();
  const shown = picture?.width
    ? picture
    : new DOMRect(
        room.left + (room.width - fitted.width) / 2,
        room.top + (room.height - fitted.height) / 2,
        fitted.width,
        fitted.height,
      );
  stage.dataset['flying'] = '';
  const scale = Math.max(tile.width / shown.width, tile.height / shown.height);
  const x = tile.left + tile.width / 2 - room.left - scale * (shown.left + shown.width / 2 - room.left);
  const y = tile.top + tile.height / 2 - room.top - scale * (shown.top + shown.height / 2 - room.top);
  return {
    duration,
    easing: cubicOut,
    css: (t, u) => `transform-origin: 0 0; transform: translate(${x * u}px, ${y * u}px) scale(${t + scale * u})`,
    tick: (t) => void (direction === 'in' && t === 1 && delete stage.dataset['flying']),
  };
}
