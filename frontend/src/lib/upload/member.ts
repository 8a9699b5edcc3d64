/** A member's queue: it follows the events of the account, and counts against its limit. */
import { live } from '../live/stream';
import { session } from '../session.svelte';
import { transportOf } from './account';
import type { Uploader } from './board.svelte';
import { queueOf, setMark } from './mark';
import type { Queue } from './queue';
import type { Room } from './room';

export function memberUploader(email: string): Uploader {
  let photosLeft: number | undefined;
  let working: Queue | null = null;
  return {
    name: queueOf(email),
    transport: transportOf(email, () => working),
    askRoom,
    onaway: () => session.isOver(),
    follow(queue) {
      working = queue;
      const off = [live.on('photo', (told) => void queue.hear(told)), live.on('reset', () => void queue.look())];
      return () => off.forEach((stop) => stop());
    },
    onchange({ items, room }, isOurs) {
      if (isOurs) setMark(email, items.length > 0);
      else if (room && room.photos !== photosLeft) session.loadLimit().catch(() => undefined);
      photosLeft = room?.photos;
    },
  };
}

/** The frame shows the same figures. */
async function askRoom(): Promise<Room> {
  await session.loadLimit();
  return { photos: session.limit?.limit ?? 0, bytes: session.limit?.bytesLeft ?? null };
}
