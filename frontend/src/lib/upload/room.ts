/** What is left of the uploader's limit, and which of the waiting files it is enough for. */
import type { Item } from './item';

/** Null where bytes are not counted. */
export interface Room {
  readonly photos: number;
  readonly bytes: number | null;
}

/** Those that find no room, in the order of the queue: told before anything is sent. They go when there is room again.
 *
 * What has a reservation was counted by the server already; what is asking for one takes its room first.
 */
export function withoutRoom(items: readonly Item[], room: Room | null): ReadonlySet<string> {
  const none = new Set<string>();
  if (!room) return none;
  const asking = items.filter((item) => item.state === 'sending' && item.imageId === null);
  let photos = room.photos - asking.length;
  let bytes = (room.bytes ?? Infinity) - asking.reduce((sum, item) => sum + item.size, 0);
  for (const item of items) {
    if (item.state !== 'waiting' || item.imageId !== null) continue;
    if (photos < 1 || item.size > bytes) {
      none.add(item.id);
      continue;
    }
    photos -= 1;
    bytes -= item.size;
  }
  return none;
}

/** As it is after this file has taken its place, until the server tells again. */
export function lessRoom(room: Room | null, size: number): Room | null {
  return room && { photos: room.photos - 1, bytes: room.bytes === null ? null : room.bytes - size };
}
