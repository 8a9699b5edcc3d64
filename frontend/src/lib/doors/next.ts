/** Where to go once somebody is in: a page of this app, and nothing else that an address could smuggle in. */

const DOORS = /^\/(signin|register|setup)(\/|$)/;
const NO_PAGES = /^\/(api|media|blobs)(\/|$)/;

/** The path that was asked for, if it is one of ours; else the start. */
export function ownPath(asked: string | null, origin: string): string {
  if (!asked?.startsWith('/')) return '/';
  const address = URL.canParse(asked, origin) ? new URL(asked, origin) : null;
  if (address?.origin !== origin || DOORS.test(address.pathname) || NO_PAGES.test(address.pathname)) return '/';
  return address.pathname + address.search;
}
