/** Files that were chosen, and the panel that takes them to the queue is not to be had. */
import { newItem } from './item';
import { Kept } from './kept';
import { queueOf, setMark } from './mark';
import type { Message } from './tabs';
import { uploads, type Chosen } from './uploads.svelte';

/** Writes them down for the next page of this browser, or for another tab that has the panel. Those that cannot be kept
 * stay chosen.
 */
export async function rescue(email: string): Promise<void> {
  const name = queueOf(email);
  const kept = new Kept(name);
  const channel = new BroadcastChannel(name);
  const lots = uploads.take();
  uploads.risk(lots.length);
  const left = await Promise.all(lots.map((lot) => write(lot, kept)));
  for (const lot of left) uploads.giveBack(lot);
  uploads.risk(-lots.length);
  setMark(email, true);
  channel.postMessage({ kind: 'come' } satisfies Message);
  kept.close();
  channel.close();
}

async function write({ files, wish }: Chosen, kept: Kept): Promise<Chosen> {
  const left: File[] = [];
  for (const [at, file] of files.entries())
    if (!(await kept.add(newItem(file, wish, Date.now() + at / files.length), file))) left.push(file);
  return { files: left, wish, isUnkept: true };
}
