/** Upload queue settings of a guest: database name, quota and events. It is deleted with the link.
 *
 * A guest who opens the same link again, after another one, is a new guest: files that were not sent are uploaded, but
 * reservations of the first guest cannot be used.
 */
import type { Uploader } from '$lib/upload/queue/sharedQueue.svelte';
import type { GuestPhotos } from './guestPhotos.svelte';
import type { GuestSession } from './guestSession.svelte';

const SOON = 3000; // milliseconds: photos that wait for approval have no events, so they are polled

const nameOf = (linkId: string): string => `sparks-uploads guest ${linkId}`;

/** Deletes the queue of a link from this browser. */
export function deleteGuestQueue(linkId: string): void {
  indexedDB.deleteDatabase(nameOf(linkId));
}

export function guestUploader(session: GuestSession, guestPhotos: GuestPhotos): Uploader {
  let arrived = '';
  return {
    name: nameOf(session.guest?.linkId ?? ''),
    async askRoom() {
      const { room } = await session.read();
      return { photos: room.photos ?? Infinity, bytes: room.bytes ?? null };
    },
    onaway: () => void session.checkLink(),
    follow(queue) {
      const isMaking = () => queue.snapshot.items.some(({ state }) => state === 'making');
      const timer = setInterval(() => isMaking() && void queue.refreshProcessing(), SOON);
      const off = guestPhotos.on((event) => void queue.onPhotoEvent(event));
      return () => {
        clearInterval(timer);
        off();
      };
    },
    onchange({ items }) {
      const photos = items.filter(({ isPhoto }) => isPhoto);
      const now = photos.map(({ id, state }) => `${id} ${state}`).join();
      if (now !== arrived) guestPhotos.renewMine();
      arrived = now;
    },
  };
}
