/** What happens on the server, told as it happens: one stream a browser, shared by its tabs.
 *
 * A host has six connections under HTTP/1.1, and every stream holds one. So the tab that has the lock listens and tells
 * the others; when it is closed, the next one gets the lock, and goes on from the last event that it heard of. Where
 * there are no locks (a page without TLS on another machine) each tab listens for itself.
 */

export interface PhotoTold {
  readonly imageId: string;
  readonly gone?: boolean;
  readonly assetType?: 'IMAGE' | 'VIDEO';
  readonly uploadedBy?: string;
  readonly visibility?: string;
  readonly version?: number;
  readonly processingStatus?: string;
  readonly processingError?: string;
  readonly status?: string;
  readonly faceCount?: number;
  readonly month?: string;
  readonly trashedAt?: string;
}

/** Something is other now in an album of ours: a photo of it, which came, left (`gone`) or is spoken of; without one, the
 * album itself. With `gone` the album is not ours any more.
 */
export interface AlbumTold {
  readonly albumId: string;
  readonly photo?: PhotoTold;
  readonly gone?: boolean;
}

/** `reset`: too much was missed, load what is shown anew. */
export interface Told {
  photo: PhotoTold;
  album: AlbumTold;
  people: Record<string, never>;
  reset: Record<string, never>;
}
export type Kind = keyof Told;
type Listener<K extends Kind> = (told: Told[K]) => void;
interface Message {
  readonly kind: Kind;
  readonly data: Told[Kind];
}

const KINDS: readonly Kind[] = ['photo', 'album', 'people', 'reset'];
const NAME = 'sparks-events';
const AGAIN = 5000;

const listeners: { [K in Kind]: Set<Listener<K>> } = {
  photo: new Set(),
  album: new Set(),
  people: new Set(),
  reset: new Set(),
};
const channel = new BroadcastChannel(NAME);
let ending: AbortController | null = null;

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => pass(data));

function pass({ kind, data }: Message): void {
  for (const listener of listeners[kind]) (listener as (told: Told[Kind]) => void)(data);
}

export const live = {
  /** Calls the listener until what is returned is called. */
  on<K extends Kind>(kind: K, listener: Listener<K>): () => void {
    (listeners[kind] as Set<Listener<K>>).add(listener);
    return () => void (listeners[kind] as Set<Listener<K>>).delete(listener);
  },
  /** From now on, until `stop`: for somebody who is signed in. */
  start(): void {
    if (ending) return;
    const { signal } = (ending = new AbortController());
    if (!('locks' in navigator)) void listen(signal);
    else navigator.locks.request(NAME, { signal }, () => listen(signal)).catch(ignoreAbort);
  },
  stop(): void {
    ending?.abort();
    ending = null;
  },
};

/** Until `signal` says so. The browser comes back by itself to a stream that broke; not to one that was refused. */
function listen(signal: AbortSignal): Promise<void> {
  return new Promise((ended) => {
    let source: EventSource;
    let waiting: ReturnType<typeof setTimeout>;
    function open(isAgain: boolean) {
      source = new EventSource('/api/events');
      for (const kind of KINDS) source.addEventListener(kind, hear(kind));
      source.addEventListener('error', () => {
        if (source.readyState === EventSource.CLOSED) waiting = setTimeout(open, AGAIN, true);
      });
      if (isAgain) source.addEventListener('open', () => share({ kind: 'reset', data: {} }), { once: true });
    }
    open(false);
    signal.addEventListener('abort', () => {
      clearTimeout(waiting);
      source.close();
      ended();
    });
  });
}

const hear = (kind: Kind) => (event: MessageEvent<string>) =>
  share({ kind, data: JSON.parse(event.data) as Told[Kind] });

function share(message: Message): void {
  pass(message);
  channel.postMessage(message);
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}
