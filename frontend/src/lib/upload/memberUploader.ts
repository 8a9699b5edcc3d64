/** Upload queue settings of a member: database name, quota and events. */
import { api, unwrap } from '../api/client';
import { session } from '../auth/session.svelte';
import { t } from '../i18n/i18n.svelte';
import { liveEvents } from '../live/liveEvents';
import { toasts } from '../ui/toasts.svelte';
import { queueName, setPendingUploads } from './pendingFlag';
import { isToSend } from './queue/queueItem';
import type { QuotaLeft } from './queue/quota';
import type { Uploader } from './queue/sharedQueue.svelte';
import type { UploadQueue } from './queue/uploadQueue';
import { httpTransport, type UploadTransport } from './queue/uploadTransport';

export function memberUploader(email: string): Uploader {
  let photosLeft: number | undefined;
  let working: UploadQueue | null = null;
  return {
    name: queueName(email),
    transport: transportForAccount(email, () => working),
    askRoom,
    onaway: () => session.expire(),
    follow(queue) {
      working = queue;
      const off = [
        liveEvents.on('photo', (told) => void queue.onPhotoEvent(told)),
        liveEvents.on('reset', () => void queue.refreshProcessing()),
      ];
      return () => off.forEach((stop) => stop());
    },
    onchange({ items, room }, isOurs) {
      if (isOurs) setPendingUploads(email, items.length > 0);
      else if (room && room.photos !== photosLeft) session.loadLimit().catch(() => undefined);
      photosLeft = room?.photos;
    },
  };
}

/** The shell shows the same figures. */
async function askRoom(): Promise<QuotaLeft> {
  await session.loadLimit();
  return { photos: session.limit?.limit ?? 0, bytes: session.limit?.bytesLeft ?? null };
}

/** Transport that reserves uploads only while `email` is signed in. Another tab may have signed in another user: then
 * the queue pauses with a toast.
 */
export function transportForAccount(email: string, queue: () => UploadQueue | null): UploadTransport {
  return {
    ...httpTransport,
    async reserve(upload, key) {
      const now = await unwrap(api.GET('/api/me/profile'));
      if (now.email === email) return httpTransport.reserve(upload, key);
      const working = queue();
      const isNews = working?.snapshot.items.some((item) => isToSend(item) && !item.paused);
      if (isNews) toasts.say(t('upload.somebodyElse', { now: now.email, email }));
      await working?.pauseAll();
      throw new DOMException('another user is signed in', 'AbortError');
    },
  };
}
