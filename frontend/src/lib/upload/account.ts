/** What keeps a queue from filling somebody else's account: whoever signs in in another tab of this browser is who all of
 * its tabs are, from then on.
 */
import { api, told } from '../api/client';
import { t } from '../i18n/i18n.svelte';
import { toasts } from '../ui/toasts.svelte';
import { isToSend } from './item';
import type { Queue } from './queue';
import { transport, type Transport } from './transport';

/** The server, asked for places only while `email` is signed in; else the queue is paused, and says why. */
export function transportOf(email: string, queue: () => Queue | null): Transport {
  return {
    ...transport,
    async reserve(upload, key) {
      const now = await told(api.GET('/api/me/profile'));
      if (now.email === email) return transport.reserve(upload, key);
      const working = queue();
      const isNews = working?.snapshot.items.some((item) => isToSend(item) && !item.paused);
      if (isNews) toasts.say(t('upload.somebodyElse', { now: now.email, email }));
      await working?.pauseAll();
      throw new DOMException('somebody else is signed in', 'AbortError');
    },
  };
}
