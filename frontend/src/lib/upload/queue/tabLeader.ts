/** Election of the tab that runs the queue, and messages between tabs. The other tabs show it, and pass commands on. */
import type { QueueItem } from './queueItem';
import type { QueueSnapshot } from './queueSnapshot';

/** Command of the user for the queue or one of its files. */
export type QueueCommand =
  | { readonly what: 'pause' | 'resume' | 'cancel' | 'retry'; readonly id: string }
  | { readonly what: 'pauseAll' | 'resumeAll' | 'cancelAll' | 'clear' };

/** `come`: new files are in the database or, without space, in the message. */
export type TabMessage =
  | { readonly kind: 'ask' }
  | { readonly kind: 'state'; readonly snapshot: QueueSnapshot }
  | { readonly kind: 'come'; readonly item?: QueueItem; readonly file?: File }
  | { readonly kind: 'do'; readonly deed: QueueCommand };

const PATIENCE = 1000; // milliseconds for a response of the leader
const ROUND = 5000;

/** Runs `work` when this tab becomes the leader, until `signal` aborts. */
export async function runAsLeader(
  channel: BroadcastChannel,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  if ('locks' in navigator) {
    await navigator.locks.request(channel.name, { signal }, work).catch(ignoreAbort);
    return;
  }
  // A page without TLS on another machine has no locks: a tab that hears of no other leader goes ahead. If two do, the
  // server finds the duplicates.
  while (!signal.aborted && (await hearsAnother(channel))) await delay(ROUND);
  if (!signal.aborted) await work();
}

async function hearsAnother(channel: BroadcastChannel): Promise<boolean> {
  await delay(Math.random() * PATIENCE);
  return new Promise((told) => {
    const heard = ({ data }: MessageEvent<TabMessage>) => data.kind === 'state' && end(true);
    const end = (answer: boolean) => {
      channel.removeEventListener('message', heard);
      told(answer);
    };
    channel.addEventListener('message', heard);
    channel.postMessage({ kind: 'ask' } satisfies TabMessage);
    setTimeout(end, PATIENCE, false);
  });
}

export const delay = (milliseconds: number) => new Promise((go) => setTimeout(go, milliseconds));

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}
