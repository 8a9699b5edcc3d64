/** Snapshot of the queue for display, and its overall progress. */
import { hasArrived, hasEnded, isToSend, type QueueItem } from './queueItem';
import type { QuotaLeft } from './quota';

export interface QueueSnapshot {
  readonly items: readonly QueueItem[];
  /** Ids of files that exceed the quota. */
  readonly over: readonly string[];
  readonly room: QuotaLeft | null;
  /** Some files wait for a retry or the network. */
  readonly isWeak: boolean;
  /** Number of files that would be lost with the page. */
  readonly unkept: number;
  readonly secondsLeft: number | null;
}

export const EMPTY_SNAPSHOT: QueueSnapshot = {
  items: [],
  over: [],
  room: null,
  isWeak: false,
  unkept: 0,
  secondsLeft: null,
};

/** `sending`: file `at` of `total`; `making`: all sent, some in processing; `over`: the quota stops the rest. */
export interface QueueProgress {
  readonly phase: 'sending' | 'paused' | 'making' | 'over' | 'ended';
  readonly at: number;
  readonly total: number;
  /** Share of the bytes, from 0 to 1. */
  readonly share: number;
  readonly arrived: number;
  readonly making: number;
  readonly failed: number;
}

export function progressOf({ items, over }: QueueSnapshot): QueueProgress {
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

function phaseOf(toGo: readonly QueueItem[], making: number, over: number): QueueProgress['phase'] {
  if (toGo.length) return toGo.every((item) => item.paused) ? 'paused' : 'sending';
  if (over) return 'over';
  return making ? 'making' : 'ended';
}

const goneOf = (item: QueueItem): number =>
  hasArrived(item) || hasEnded(item) ? item.size : Math.min(item.sent, item.size);
