/** Passing the open photo on: the address of this page, which members can open. */
import { t } from '../i18n/i18n.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import { copy } from '../ui/clipboard';

export async function share(title: string, isPrivate: boolean): Promise<void> {
  const url = location.href;
  try {
    if ('share' in navigator && !isPrivate) await navigator.share({ url, ...(title && { title }) });
    else {
      await copy(url);
      toasts.say(t(isPrivate ? 'viewer.copiedPrivate' : 'viewer.copiedLink'));
    }
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) failed(error);
  }
}
