/** Upload quota left, and which waiting files exceed it. It is requested again after changes, at most once a second. */
import type { Clock } from './clock';
import type { QueueItem } from './queueItem';

const PAUSE = 1000; // milliseconds between a response and the next request

export class UploadQuota {
  room: QuotaLeft | null = null;
  readonly #ask: () => Promise<QuotaLeft>;
  readonly #clock: Clock;
  readonly #onchange: () => void;
  #asking: Promise<void> | null = null;
  #isStale = false;
  #reservations = 0;

  constructor(ask: () => Promise<QuotaLeft>, clock: Clock, onchange: () => void) {
    this.#ask = ask;
    this.#clock = clock;
    this.#onchange = onchange;
  }

  /** Resolves when the quota is known, or cannot be: then nothing is held back, and the server decides. */
  refresh(): Promise<void> {
    if (this.#asking) this.#isStale = true;
    return (this.#asking ??= this.#request());
  }

  /** A reservation was made: the server counts it. */
  take(size: number): void {
    this.#reservations += 1;
    this.room = quotaAfter(this.room, size);
  }

  /** Takes over the quota of a refusal. */
  setQuota(room: QuotaLeft): void {
    this.#reservations += 1;
    this.room = room;
  }

  async #request(): Promise<void> {
    const reservations = this.#reservations;
    this.#isStale = false;
    try {
      const room = await this.#ask();
      if (reservations === this.#reservations) this.room = room;
      else this.#isStale = true; // the response is older than a reservation
    } catch {
      // the next change asks again
    }
    this.#onchange();
    this.#clock.after(PAUSE, () => {
      this.#asking = null;
      if (this.#isStale) void this.refresh();
    });
  }
}

/** `bytes` is null if they are not limited. */
export interface QuotaLeft {
  readonly photos: number;
  readonly bytes: number | null;
}

/** Waiting files that exceed the quota, in the order of the queue. They are sent when the quota allows.
 *
 * A file with a reservation is counted by the server already; a file that is being reserved counts first.
 */
export function itemsOverQuota(items: readonly QueueItem[], room: QuotaLeft | null): ReadonlySet<string> {
  const exceeding = new Set<string>();
  if (!room) return exceeding;
  const asking = items.filter((item) => item.state === 'sending' && item.imageId === null);
  let photos = room.photos - asking.length;
  let bytes = (room.bytes ?? Infinity) - asking.reduce((sum, item) => sum + item.size, 0);
  for (const item of items) {
    if (item.state !== 'waiting' || item.imageId !== null) continue;
    if (photos < 1 || item.size > bytes) {
      exceeding.add(item.id);
      continue;
    }
    photos -= 1;
    bytes -= item.size;
  }
  return exceeding;
}

/** Quota after this file, until the server tells. */
export function quotaAfter(room: QuotaLeft | null, size: number): QuotaLeft | null {
  return room && { photos: room.photos - 1, bytes: room.bytes === null ? null : room.bytes - size };
}
