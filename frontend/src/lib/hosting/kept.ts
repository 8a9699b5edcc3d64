/** The secrets of links that were made here, which nobody else can tell any more: kept in this tab until it is closed, so
 * that cards can be printed and a wall can show a code. They are sent nowhere.
 */
import type { LinkPermission, NewLink } from '../api/shapes';
import { session } from '../session.svelte';

export interface KeptLink {
  readonly linkId: string;
  readonly albumId: string;
  readonly url: string;
  readonly svg: string;
  readonly png: string;
  readonly allow: readonly LinkPermission[];
  readonly persons: readonly string[];
  readonly password: string | null;
  readonly by: string;
}

const KEY = 'sparks.links'; // `session` forgets it when somebody signs out
const SHOWN = 'sparks.wall';
const MOST = 20;

const me = (): string => session.profile?.email ?? '';

function read(): readonly KeptLink[] {
  try {
    const all = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as KeptLink[];
    return all.filter(({ by }) => by === me());
  } catch {
    return [];
  }
}

const write = (links: readonly KeptLink[]): void => sessionStorage.setItem(KEY, JSON.stringify(links));

/** The last made first. */
export const keptOf = (albumId: string): readonly KeptLink[] => read().filter((link) => link.albumId === albumId);

export function keep(link: NewLink, password: string | null): KeptLink {
  const { linkId, albumId, url, allow, persons, qr } = link;
  const kept = { linkId, albumId, url, allow, persons, password, svg: qr.svg, png: qr.png, by: me() };
  write([kept, ...read()].slice(0, MOST));
  return kept;
}

/** It has another password now: null for none. */
export const keepPassword = (linkId: string, password: string | null): void =>
  write(read().map((link) => (link.linkId === linkId ? { ...link, password } : link)));

export const forget = (linkId: string): void => write(read().filter((link) => link.linkId !== linkId));

/** The link whose code the wall of an album shows. */
export function shownOn(albumId: string): KeptLink | null {
  const [album, linkId] = (sessionStorage.getItem(SHOWN) ?? '').split(' ');
  return album === albumId ? (read().find((link) => link.linkId === linkId) ?? null) : null;
}

export function showOn(albumId: string, link: KeptLink | null): void {
  if (link) sessionStorage.setItem(SHOWN, `${albumId} ${link.linkId}`);
  else sessionStorage.removeItem(SHOWN);
}

/** A picture that an `<img>` shows. */
export const codeOf = ({ svg }: KeptLink): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;
