/** The newest photos of an album, for a screen that everybody looks at: kept as the server has them, for days.
 *
 * What is shown stays while the network is away. Events say when to ask again, and the list is asked for anew every few
 * minutes besides: a connection may be dead without anybody noticing, and addresses of pictures are good for a while.
 */
import { api, told } from '../api/client';
import { isGone } from '../api/errors';
import type { Image } from '../api/shapes';
import type { AlbumTold } from '../live/stream';

const MOST = 100;
const SOON = 1000; // milliseconds: photos come in swarms
const AGAIN = 5000;
const ANEW = 3 * 60_000;

export class Wall {
  title = $state('');
  /** The last uploaded first: at most MOST of them. */
  images = $state.raw<readonly Image[]>([]);
  isLoaded = $state(false);
  /** The album is deleted, or not for us to see any more. */
  isGone = $state(false);
  /** Nobody can be reached just now. */
  isAway = $state(false);
  #since: string | undefined;
  #source: EventSource | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  /** An answer counts in its own turn alone: not once another was asked for, a photo was taken off, or it is over. */
  #turn = 0;
  #isOver = false;

  /** `ontold`: something is other about the album itself, such as its links. */
  constructor(
    readonly albumId: string,
    readonly ontold: () => void = () => {},
  ) {}

  /** Until what is returned is called. */
  follow(): () => void {
    const anew = () => void this.load();
    const timer = setInterval(anew, ANEW);
    addEventListener('online', anew);
    document.addEventListener('visibilitychange', anew);
    void this.load();
    return () => {
      this.#isOver = true;
      clearInterval(timer);
      clearTimeout(this.#soon);
      clearTimeout(this.#reopening);
      removeEventListener('online', anew);
      document.removeEventListener('visibilitychange', anew);
      this.#source?.close();
    };
  }

  /** Never throws: what is there stays. */
  async load(): Promise<void> {
    const params = { path: { albumId: this.albumId }, query: { limit: MOST } };
    const turn = ++this.#turn;
    const isOld = () => this.#isOver || turn !== this.#turn;
    try {
      const now = await told(api.GET('/api/albums/{albumId}/wall', { params }));
      if (isOld()) return;
      [this.title, this.images, this.isLoaded] = [now.title, now.images.filter(isMade), true];
      this.isAway = this.isGone = false;
      this.#since ??= now.lastEventId;
      if (!this.#source) this.#listen();
    } catch (error) {
      if (isOld()) return;
      if (isGone(error)) [this.images, this.isGone] = [[], true];
      this.isAway = !isGone(error);
      this.#retry();
    }
  }

  #loadSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.load();
    }, SOON);
  }

  /** The browser comes back by itself to a stream that broke, from where it was; not to one that was refused. */
  #listen(): void {
    const source = new EventSource(`/api/albums/${this.albumId}/events?since=${encodeURIComponent(this.#since ?? '')}`);
    this.#source = source;
    source.addEventListener('album', (event: MessageEvent<string>) => {
      this.#since = event.lastEventId || this.#since;
      this.#hear(JSON.parse(event.data) as AlbumTold);
    });
    source.addEventListener('reset', () => this.#loadSoon());
    source.addEventListener('open', () => (this.isAway = false));
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = undefined;
      this.#retry();
    });
  }

  #hear({ photo }: AlbumTold): void {
    if (photo?.gone) {
      this.#turn++;
      this.images = this.images.filter(({ imageId }) => imageId !== photo.imageId);
    }
    if (!photo) this.ontold();
    this.#loadSoon();
  }

  #retry(): void {
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => void this.load(), AGAIN);
  }
}

/** It can be looked at already. */
const isMade = ({ urls }: Image): boolean => urls['large'] !== undefined;
