/** Opener of the download dialog, which loads the rest on demand. */
import { withMessages } from '../i18n/i18n.svelte';
import { toastError } from '../ui/toasts.svelte';
import type { DownloadRequest } from './downloadStore.svelte';

export const openDownload = (wanted: DownloadRequest): Promise<void> =>
  withMessages('download', import('./mountDownloads')).then(
    ({ mountDownload: download }) => download(wanted),
    toastError,
  );
