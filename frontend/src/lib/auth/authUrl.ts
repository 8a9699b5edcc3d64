/** Address after sign-in and one-time secrets, read from the URL safely. */

const DOORS = /^\/(signin|register|setup)(\/|$)/;
const NO_PAGES = /^\/(api|media|blobs)(\/|$)/;

/** The requested path if it is a page of this app; else the start page. */
export function safeRedirectPath(asked: string | null, origin: string): string {
  if (!asked?.startsWith('/')) return '/';
  const address = URL.canParse(asked, origin) ? new URL(asked, origin) : null;
  if (address?.origin !== origin || DOORS.test(address.pathname) || NO_PAGES.test(address.pathname)) return '/';
  return address.pathname + address.search;
}

interface Bar {
  readonly location: { readonly hash: string; readonly pathname: string };
  readonly history: Pick<History, 'state' | 'replaceState'>;
}

/** Removes the secret from the address bar at once; it stays in the history entry for a reload. */
export function takeUrlSecret({ location, history }: Bar): string | null {
  const kept = (history.state as { secret?: unknown } | null)?.secret;
  const secret = location.hash.slice(1) || (typeof kept === 'string' ? kept : '');
  if (secret) history.replaceState({ secret }, '', location.pathname);
  return secret || null;
}

/** Forgets the secret once it was used. */
export function clearUrlSecret({ location, history }: Bar): void {
  history.replaceState(null, '', location.pathname);
}
