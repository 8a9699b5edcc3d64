/** Secrets of links made in this tab, kept in session storage. The server does not tell a secret again. They are used
 * to print cards and to show a QR code on the wall, and are sent nowhere.
 */
import type { LinkPermission, NewLink } from '../api/types';
import { session } from '../auth/session.svelte';

export interface StoredLink {
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

const KEY = 'sparks.links'; // `session` removes it at sign-out
const SHOWN = 'sparks.wall';
const MOST = 20;

const me = (): string => session.profile?.email ?? '';

function read(): readonly StoredLink[] {
  try {
    const all = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as StoredLink[];
    return all.filter(({ by }) => by === me());
  } catch {
    return [];
  }
}

const write = (links: readonly StoredLink[]): void => sessionStorage.setItem(KEY, JSON.stringify(links));

/** Newest first. */
export const storedLinksOf = (albumId: string): readonly StoredLink[] =>
  read().filter((link) => link.albumId === albumId);

export function storeLink(link: NewLink, password: string | null): StoredLink {
  const { linkId, albumId, url, allow, persons, qr } = link;
  const storedLink = { linkId, albumId, url, allow, persons, password, svg: qr.svg, png: qr.png, by: me() };
  write([storedLink, ...read()].slice(0, MOST));
  return storedLink;
}

/** Null if the link has no password any more. */
export const storeLinkPassword = (linkId: string, password: string | null): void =>
  write(read().map((link) => (link.linkId === linkId ? { ...link, password } : link)));

export const removeStoredLink = (linkId: string): void => write(read().filter((link) => link.linkId !== linkId));

/** Link whose QR code the wall of an album shows. */
export function wallLinkOf(albumId: string): StoredLink | null {
  const [album, linkId] = (sessionStorage.getItem(SHOWN) ?? '').split(' ');
  return album === albumId ? (read().find((link) => link.linkId === linkId) ?? null) : null;
}

export function setWallLink(albumId: string, link: StoredLink | null): void {
  if (link) sessionStorage.setItem(SHOWN, `${albumId} ${link.linkId}`);
  else sessionStorage.removeItem(SHOWN);
}

/** Source of an `<img>`. */
export const qrCodeUrl = ({ svg }: StoredLink): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

export const qrCodeSvg = ({ svg }: StoredLink): Blob => new Blob([svg], { type: 'image/svg+xml' });

export const qrCodePng = ({ png }: StoredLink): Blob =>
  new Blob([Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))], { type: 'image/png' });
