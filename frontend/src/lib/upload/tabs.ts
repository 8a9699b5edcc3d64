/** One tab of a browser works the queue; the others show it, and hand on what is done there. */
import type { Item } from './item';
import type { Snapshot } from './snapshot';

/** What somebody does to the queue, or to one of its files. */
export type Deed =
  | { readonly what: 'pause' | 'resume' | 'cancel' | 'retry'; readonly id: string }
  | { readonly what: 'pauseAll' | 'resumeAll' | 'cancelAll' | 'clear' | 'look' };

/** `come`: there are new files in the database or, where it has no room, with the message. */
export type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'state'; readonly snapshot: Snapshot }
  | { readonly kind: 'come'; readonly item?: Item; readonly file?: File }
  | { readonly kind: 'do'; readonly deed: Deed };

const PATIENCE = 1000; // milliseconds for an answer of the tab that works
const ROUND = 5000;

/** Does the work when it is this tab's turn, until `signal` says so. */
export async function lead(channel: BroadcastChannel, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if ('locks' in navigator) {
    await navigator.locks.request(channel.name, { signal }, work).catch(ignoreAbort);
    return;
  }
  // [Note: no locks] A page without TLS on another machine has none: whoever hears of no other tab goes ahead. Should two
  // do so at once, the server tells the duplicates.
  while (!signal.aborted && (await hearsAnother(channel))) await passed(ROUND);
  if (!signal.aborted) await work();
}

async function hearsAnother(channel: BroadcastChannel): Promise<boolean> {
  await passed(Math.random() * PATIENCE);
  return new Promise((told) => {
    const heard = ({ data }: MessageEvent<Message>) => data.kind === 'state' && end(true);
    const end = (answer: boolean) => {
      channel.removeEventListener('message', heard);
      told(answer);
    };
    channel.addEventListener('message', heard);
    channel.postMessage({ kind: 'ask' } satisfies Message);
    setTimeout(end, PATIENCE, false);
  });
}

export const passed = (milliseconds: number) => new Promise((go) => setTimeout(go, milliseconds));

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}
