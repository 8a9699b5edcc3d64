/** A page that is older than the server asks for files that are gone: it is loaded anew, once. */
const KEY = 'sparks.reloaded';
const SOON = 60_000;

export function reloadOnce(event: Event): void {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < SOON) return;
  event.preventDefault();
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
}
