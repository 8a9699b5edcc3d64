/** Thumbhashes as tiny pictures, kept while they are likely to be seen again. */
import { thumbHashToDataURL } from 'thumbhash';

const MOST = 2000;
const made = new Map<string, string>();

/** An address of a picture, or undefined where there is no thumbhash. */
export function placeholder(thumbhash: string): string | undefined {
  if (!thumbhash) return undefined;
  const known = made.get(thumbhash);
  if (known) return known;
  const url = thumbHashToDataURL(Uint8Array.from(atob(thumbhash), (letter) => letter.charCodeAt(0)));
  if (made.size >= MOST) made.delete(made.keys().next().value ?? '');
  made.set(thumbhash, url);
  return url;
}
