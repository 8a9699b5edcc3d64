/** Whether this account has uploads in this browser: so that a page that has none need not load what works them. */

/** What its queue is kept under in this browser. */
export const queueOf = (email: string): string => `sparks-uploads ${email}`;

const keyOf = (email: string) => `sparks.uploads ${email}`;

export const isMarked = (email: string): boolean => localStorage.getItem(keyOf(email)) !== null;

export function setMark(email: string, isThere: boolean): void {
  if (isThere === isMarked(email)) return;
  if (isThere) localStorage.setItem(keyOf(email), '1');
  else localStorage.removeItem(keyOf(email));
}

/** Another tab has begun some. */
export function onMarked(email: string, then: () => void): () => void {
  const heard = (event: StorageEvent) => event.key === keyOf(email) && event.newValue && then();
  addEventListener('storage', heard);
  return () => removeEventListener('storage', heard);
}
