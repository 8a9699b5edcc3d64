/** Flag in local storage that an account has uploads in this browser. Without one, a page need not load the upload
 * queue.
 */

/** Name of the account's queue in this browser. */
export const queueName = (email: string): string => `sparks-uploads ${email}`;

const keyOf = (email: string) => `sparks.uploads ${email}`;

export const hasPendingUploads = (email: string): boolean => localStorage.getItem(keyOf(email)) !== null;

export function setPendingUploads(email: string, isThere: boolean): void {
  if (isThere === hasPendingUploads(email)) return;
  if (isThere) localStorage.setItem(keyOf(email), '1');
  else localStorage.removeItem(keyOf(email));
}

/** Calls `then` when another tab has started uploads. */
export function onPendingUploads(email: string, then: () => void): () => void {
  const heard = (event: StorageEvent) => event.key === keyOf(email) && event.newValue && then();
  addEventListener('storage', heard);
  return () => removeEventListener('storage', heard);
}
