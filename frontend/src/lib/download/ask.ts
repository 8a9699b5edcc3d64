/** Asks how something is to be taken home. What does that is loaded when it is first needed. */
import { worded } from '../i18n/i18n.svelte';
import { failed } from '../ui/failed';
import type { Wanted } from './archive';

export const askDownload = (wanted: Wanted): Promise<void> =>
  worded('download', import('./download')).then(({ download }) => download(wanted), failed);
