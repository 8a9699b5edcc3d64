/** The picture grows from its tile, and goes back there: so one sees where it is on the page. */
import { cubicOut } from 'svelte/easing';
import type { TransitionConfig } from 'svelte/transition';
import { motion } from '../ui/motion';
import { tileOf } from './beneath';
import { fit } from './geometry';

interface From {
  readonly id: string;
  readonly ratio: number;
}

interface Way {
  readonly direction?: 'in' | 'out' | 'both';
}

/** Of the element that the picture lies in. Where there is no tile to be seen, it comes and goes in its place. */
export function grow(stage: HTMLElement, from: () => From, { direction }: Way = {}): TransitionConfig {
  const { id, ratio } = from();
  const tile = tileOf(id)?.getBoundingClientRect();
  const isSeen = tile && tile.width > 0 && tile.bottom > 0 && tile.top < innerHeight;
  const duration = motion(220);
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
