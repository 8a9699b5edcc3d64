import { uploads } from '../upload/uploads.svelte';

/** A page that is older than the server asks for files that are gone: it is loaded anew, once. Not while it holds photos
 * that are nowhere else: whoever asked for the file is told, then, that it did not come.
 */
const KEY = 'sparks.reloaded';
const SOON = 60_000;

export function reloadOnce(event: Event): void {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < SOON || uploads.wouldBeLost) return;
  event.preventDefault();
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
}
