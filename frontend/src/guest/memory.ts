/** What this browser remembers of a guest. The secret of their link is not among it. */

const VISIT = 'sparks.guest';
const NAME = 'sparks.guest.name';

/** Which link was opened last, by its public part, and who they are there. */
export interface Remembered {
  readonly link: string;
  readonly guest: string;
}

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
  get visit(): Remembered | null {
    try {
      const { link, guest } = JSON.parse(localStorage.getItem(VISIT) ?? '') as Partial<Remembered>;
      return typeof link === 'string' && typeof guest === 'string' ? { link, guest } : null;
    } catch {
      return null;
    }
  },
  remember(visit: Remembered): void {
    localStorage.setItem(VISIT, JSON.stringify(visit));
  },
  forget(): void {
    localStorage.removeItem(VISIT);
  },
  get name(): string {
    return localStorage.getItem(NAME) ?? '';
  },
  set name(name: string) {
    localStorage.setItem(NAME, name);
  },
};
