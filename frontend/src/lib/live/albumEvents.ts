/** Event stream of one album. */
import type { AlbumEvent } from './liveEvents';

const AGAIN = 5000; // milliseconds until the stream is opened again after a refusal

interface AlbumEventHandlers {
  /** `id` is that of the event, from which a stream can continue. */
  onalbum(event: AlbumEvent, id: string): void;
  /** Persons have changed. */
  onpeople?(): void;
  /** Too many events were missed. */
  onreset(): void;
  onopen?(): void;
  /** The stream broke. `isRefused`: the server refused it, so the album may be out of reach. */
  onbroken(isRefused: boolean): void;
}

/** Runs until the returned function is called. The browser reconnects by itself after an error; after a refusal the
 * stream is opened again a little later. `query` is `as=guest` for guests, or `since=` with the id of an event.
 */
export function subscribeToAlbum(albumId: string, query: string, handlers: AlbumEventHandlers): () => void {
  let source: EventSource;
  let waiting: ReturnType<typeof setTimeout>;
  function open(isAgain: boolean) {
    source = new EventSource(`/api/albums/${albumId}/events?${query}`);
    source.addEventListener('album', ({ data, lastEventId }: MessageEvent<string>) =>
      handlers.onalbum(JSON.parse(data) as AlbumEvent, lastEventId),
    );
    source.addEventListener('people', () => handlers.onpeople?.());
    source.addEventListener('reset', () => handlers.onreset());
    source.addEventListener('open', () => handlers.onopen?.());
    if (isAgain) source.addEventListener('open', () => handlers.onreset(), { once: true });
    source.addEventListener('error', () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      if (isRefused) waiting = setTimeout(open, AGAIN, true);
      handlers.onbroken(isRefused);
    });
  }
  open(false);
  return () => {
    clearTimeout(waiting);
    source.close();
  };
}
