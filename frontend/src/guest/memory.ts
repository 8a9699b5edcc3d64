/** What this browser remembers of a guest. The secret of their link is not among it. */

const LINK = 'sparks.guest.link';
const NAME = 'sparks.guest.name';

/** What stands behind the `#` of an address; null where nothing does. */
export function secretIn(hash: string): string | null {
  const text = hash.replace(/^#/, '');
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return text;
  }
}

/** The public part of a secret, which finds the link and opens nothing. */
export const linkIn = (secret: string): string => secret.split('.')[0] ?? '';

export const memory = {
  /** Which link was opened last, by its public part. */
  get link(): string | null {
    return localStorage.getItem(LINK);
  },
  set link(link: string) {
    localStorage.setItem(LINK, link);
  },
  forget(): void {
    localStorage.removeItem(LINK);
  },
  get name(): string {
    return localStorage.getItem(NAME) ?? '';
  },
  set name(name: string) {
    localStorage.setItem(NAME, name);
  },
};
