/** A member's queue: it follows the events of the account, and counts against its limit. */
import { live } from '../live/stream';
import { session } from '../session.svelte';
import type { Uploader } from './board.svelte';
import { setMark } from './mark';
import type { Room } from './room';

export function memberUploader(email: string): Uploader {
  let photosLeft: number | undefined;
  return {
    name: `sparks-uploads ${email}`,
    askRoom,
    onaway: () => session.isOver(),
    follow(queue) {
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
