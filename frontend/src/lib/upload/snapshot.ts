/** The queue as it is shown, in every tab: how far all of it is. */
import { hasArrived, hasEnded, isToSend, type Item } from './item';
import type { Room } from './room';

export interface Snapshot {
  readonly items: readonly Item[];
  /** The ids of those that find no room in the limit. */
  readonly over: readonly string[];
  readonly room: Room | null;
  /** Something is held up, and goes on by itself. */
  readonly isWeak: boolean;
  /** How many would be lost with the page. */
  readonly unkept: number;
  readonly secondsLeft: number | null;
}

export const NOTHING: Snapshot = { items: [], over: [], room: null, isWeak: false, unkept: 0, secondsLeft: null };

/** `sending` 7 `at` of 12; `paused`; `making` what has arrived; `over` where the limit stops the rest; `ended`. */
export interface Progress {
  readonly phase: 'sending' | 'paused' | 'making' | 'over' | 'ended';
  readonly at: number;
  readonly total: number;
  /** Of the bytes, from 0 to 1. */
  readonly share: number;
  readonly arrived: number;
  readonly making: number;
  readonly failed: number;
}

export function progressOf({ items, over }: Snapshot): Progress {
  const none = new Set(over);
  const counted = items.filter((item) => !none.has(item.id) && item.state !== 'refused');
  const toGo = counted.filter(isToSend);
  const arrived = counted.filter(hasArrived).length;
  const bytes = counted.reduce((sum, item) => sum + item.size, 0);
  const gone = counted.reduce((sum, item) => sum + goneOf(item), 0);
  const making = counted.filter((item) => item.state === 'making').length;
  return {
    phase: phaseOf(toGo, making, none.size),
    at: Math.min(counted.length, counted.length - toGo.length + 1),
    total: counted.length,
    share: bytes ? gone / bytes : 1,
    arrived,
    making,
    failed: items.filter((item) => item.state === 'failed' || item.state === 'refused').length,
  };
}

function phaseOf(toGo: readonly Item[], making: number, over: number): Progress['phase'] {
  if (toGo.length) return toGo.every((item) => item.paused) ? 'paused' : 'sending';
  if (over) return 'over';
  return making ? 'making' : 'ended';
}

const goneOf = (item: Item): number =>
  hasArrived(item) || hasEnded(item) ? item.size : Math.min(item.sent, item.size);
