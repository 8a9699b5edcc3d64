/** What happens in the album, told as it happens. */
import type { AlbumTold } from '$lib/live/stream';

const AGAIN = 5000; // milliseconds until a stream that was refused is asked for once more

interface Hearer {
  onalbum(told: AlbumTold): void;
  /** Persons are others now. */
  onpeople(): void;
  /** Too much was missed. */
  onreset(): void;
  /** The stream has ended: the link may be over. */
  onbroken(): void;
}

/** Until what is returned is called. The browser comes back by itself to a stream that broke; not to one refused. */
export function follow(albumId: string, hearer: Hearer): () => void {
  let source: EventSource;
  let waiting: ReturnType<typeof setTimeout>;
  function open(isAgain: boolean) {
    source = new EventSource(`/api/albums/${albumId}/events?as=guest`);
    source.addEventListener('album', ({ data }: MessageEvent<string>) => hearer.onalbum(JSON.parse(data) as AlbumTold));
    source.addEventListener('people', () => hearer.onpeople());
    source.addEventListener('reset', () => hearer.onreset());
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) waiting = setTimeout(open, AGAIN, true);
      hearer.onbroken();
    });
    if (isAgain) source.addEventListener('open', () => hearer.onreset(), { once: true });
  }
  open(false);
  return () => {
    clearTimeout(waiting);
    source.close();
  };
}
