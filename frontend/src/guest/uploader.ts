/** A guest's queue: kept under who they are, counted against what their link lets in, and gone with it. */
import type { Uploader } from '$lib/upload/board.svelte';
import type { Shelf } from './shelf.svelte';
import type { Visit } from './visit.svelte';

const SOON = 3000; // milliseconds: what waits for the host is announced to nobody, so it is looked at

const nameOf = (guestId: string): string => `sparks-uploads guest ${guestId}`;

/** Nothing of it stays in this browser. */
export function forgetQueue(guestId: string): void {
  indexedDB.deleteDatabase(nameOf(guestId));
}

export function guestUploader(visit: Visit, shelf: Shelf): Uploader {
  let arrived = '';
  return {
    name: nameOf(visit.guest?.guestId ?? ''),
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
