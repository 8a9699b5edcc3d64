/** Event stream of the server, shared by the tabs of a browser.
 *
 * A host has six connections under HTTP/1.1, and every stream uses one. So the tab that has the lock opens the stream
 * and passes events to the others; when it closes, the next tab gets the lock and continues after the last event.
 * Without locks (a page without TLS on another machine) each tab has its own stream.
 */

export interface PhotoEvent {
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

/** Change in an album of the user: of a photo, which was added, removed (`gone`), liked or commented; without a photo,
 * of the album itself. With `gone` the user can no longer see the album.
 */
export interface AlbumEvent {
  readonly albumId: string;
  readonly photo?: PhotoEvent;
  readonly gone?: boolean;
}

/** `reset`: too many events were missed, reload everything. */
export interface LiveEventPayloads {
  photo: PhotoEvent;
  album: AlbumEvent;
  people: Record<string, never>;
  reset: Record<string, never>;
}
export type LiveEventKind = keyof LiveEventPayloads;
type Listener<K extends LiveEventKind> = (payload: LiveEventPayloads[K]) => void;
interface Message {
  readonly kind: LiveEventKind;
  readonly data: LiveEventPayloads[LiveEventKind];
}

const KINDS: readonly LiveEventKind[] = ['photo', 'album', 'people', 'reset'];
const NAME = 'sparks-events';
const AGAIN = 5000;

const listeners: { [K in LiveEventKind]: Set<Listener<K>> } = {
  photo: new Set(),
  album: new Set(),
  people: new Set(),
  reset: new Set(),
};
const channel = new BroadcastChannel(NAME);
let ending: AbortController | null = null;

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => pass(data));

function pass({ kind, data }: Message): void {
  for (const listener of listeners[kind]) (listener as (payload: LiveEventPayloads[LiveEventKind]) => void)(data);
}

export const liveEvents = {
  /** Calls the listener until the returned function is called. */
  on<K extends LiveEventKind>(kind: K, listener: Listener<K>): () => void {
    (listeners[kind] as Set<Listener<K>>).add(listener);
    return () => void (listeners[kind] as Set<Listener<K>>).delete(listener);
  },
  /** Starts the stream of the signed-in user. */
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

/** Runs until `signal` aborts. The browser reconnects by itself after an error, but not after a refusal. */
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

const hear = (kind: LiveEventKind) => (event: MessageEvent<string>) =>
  share({ kind, data: JSON.parse(event.data) as LiveEventPayloads[LiveEventKind] });

function share(message: Message): void {
  pass(message);
  channel.postMessage(message);
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}

/** Calls `reload` when persons have changed, until the returned function is called. */
export function onPeopleChange(reload: () => void): () => void {
  const ends = [liveEvents.on('people', reload), liveEvents.on('reset', reload)];
  return () => ends.forEach((end) => end());
}
