/** Link id and guest name in local storage, and the secret in the address. The secret is not stored. */

const LINK = 'sparks.guest.link';
const NAME = 'sparks.guest.name';

/** Secret behind the `#` of an address; null without one. */
export function secretFromHash(hash: string): string | null {
  const text = hash.replace(/^#/, '');
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return text;
  }
}

/** Public part of a secret, which identifies the link and opens nothing. */
export const linkIdOf = (secret: string): string => secret.split('.')[0] ?? '';

export const guestStorage = {
  /** Public part of the link opened last. */
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
