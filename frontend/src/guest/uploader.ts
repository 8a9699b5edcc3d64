/** A guest's queue: kept under the link that they came by, counted against what it lets in, and gone with it.
 *
 * [Note: come again] Who comes back by the same link, after another one, is another guest: they go on with what has not
 * been sent. What the guest before had reserved is not theirs, so it begins anew.
 */
import type { Uploader } from '$lib/upload/board.svelte';
import type { Shelf } from './shelf.svelte';
import type { Visit } from './visit.svelte';

const SOON = 3000; // milliseconds: what waits for the host is announced to nobody, so it is looked at

const nameOf = (linkId: string): string => `sparks-uploads guest ${linkId}`;

/** Nothing of it stays in this browser. */
export function forgetQueue(linkId: string): void {
  indexedDB.deleteDatabase(nameOf(linkId));
}

export function guestUploader(visit: Visit, shelf: Shelf): Uploader {
  let arrived = '';
  return {
    name: nameOf(visit.guest?.linkId ?? ''),
    async askRoom() {
      const { room } = await visit.read();
      return { photos: room.photos ?? Infinity, bytes: room.bytes ?? null };
    },
    onaway: () => void visit.check(),
    follow(queue) {
      const isMaking = () => queue.snapshot.items.some(({ state }) => state === 'making');
      const timer = setInterval(() => isMaking() && void queue.look(), SOON);
      const off = shelf.on((told) => void queue.hear(told));
      return () => {
        clearInterval(timer);
        off();
      };
    },
    onchange({ items }) {
      const photos = items.filter(({ isPhoto }) => isPhoto);
      const now = photos.map(({ id, state }) => `${id} ${state}`).join();
      if (now !== arrived) shelf.renewMine();
      arrived = now;
    },
  };
}
