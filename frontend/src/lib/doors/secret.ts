/** The secret of the link that a door was opened by. */

interface Bar {
  readonly location: { readonly hash: string; readonly pathname: string };
  readonly history: Pick<History, 'state' | 'replaceState'>;
}

/** Taken out of the address bar at once, where others could read it; a reload of the page still knows it. */
export function takeSecret({ location, history }: Bar): string | null {
  const kept = (history.state as { secret?: unknown } | null)?.secret;
  const secret = location.hash.slice(1) || (typeof kept === 'string' ? kept : '');
  if (secret) history.replaceState({ secret }, '', location.pathname);
  return secret || null;
}

/** It has done its work. */
export function dropSecret({ location, history }: Bar): void {
  history.replaceState(null, '', location.pathname);
}
