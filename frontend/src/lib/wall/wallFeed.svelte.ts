/** Store of an album's newest photos for a wall, live for days.
 *
 * Photos stay while there is no network. Events trigger reloads. The list is also reloaded every few minutes, since a
 * connection may break unnoticed and picture addresses expire.
 */
import { api, unwrap } from '../api/client';
import { isNotFound } from '../api/errors';
import type { Image } from '../api/types';
import { subscribeToAlbum } from '../live/albumEvents';
import type { AlbumEvent } from '../live/liveEvents';

const MOST = 100;
const SOON = 1000; // milliseconds: photos come in bursts
const AGAIN = 5000;
const ANEW = 3 * 60_000;

export class WallFeed {
  title = $state('');
  /** Newest upload first. */
  images = $state.raw<readonly Image[]>([]);
  isLoaded = $state(false);
  /** The album was deleted, or the user may no longer see it. */
  isGone = $state(false);
  /** The server cannot be reached. */
  isAway = $state(false);
  #since: string | undefined;
  #unsubscribe: (() => void) | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  /** A response counts only if no later request, removal of a photo or end came after it. */
  #turn = 0;
  #isOver = false;

  /** `onalbum`: the album itself has changed, such as its links. */
  constructor(
    readonly albumId: string,
    readonly onalbum: () => void = () => {},
  ) {}

  /** Runs until the returned function is called. */
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
      this.#unsubscribe?.();
    };
  }

  /** Never throws: the photos stay. */
  async load(): Promise<void> {
    const params = { path: { albumId: this.albumId }, query: { limit: MOST } };
    const turn = ++this.#turn;
    const isOld = () => this.#isOver || turn !== this.#turn;
    try {
      const now = await unwrap(api.GET('/api/albums/{albumId}/wall', { params }));
      if (isOld()) return;
      [this.title, this.images, this.isLoaded] = [now.title, now.images.filter(isMade), true];
      this.isAway = this.isGone = false;
      this.#since ??= now.lastEventId;
      if (!this.#unsubscribe) this.#listen();
    } catch (error) {
      if (isOld()) return;
      if (isNotFound(error)) [this.images, this.isGone] = [[], true];
      this.isAway = !isNotFound(error);
      this.#retry();
    }
  }

  #loadSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.load();
    }, SOON);
  }

  /** After a refusal the list is loaded first, which opens the stream again. */
  #listen(): void {
    this.#unsubscribe = subscribeToAlbum(this.albumId, `since=${encodeURIComponent(this.#since ?? '')}`, {
      onalbum: (event, id) => {
        this.#since = id || this.#since;
        this.#onAlbumEvent(event);
      },
      onreset: () => this.#loadSoon(),
      onopen: () => (this.isAway = false),
      onbroken: (isRefused) => {
        if (!isRefused) return;
        this.#unsubscribe?.();
        this.#unsubscribe = undefined;
        this.#retry();
      },
    });
  }

  #onAlbumEvent({ photo }: AlbumEvent): void {
    if (photo?.gone) {
      this.#turn++;
      this.images = this.images.filter(({ imageId }) => imageId !== photo.imageId);
    }
    if (!photo) this.onalbum();
    this.#loadSoon();
  }

  #retry(): void {
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => void this.load(), AGAIN);
  }
}

/** The picture can be shown. */
const isMade = ({ urls }: Image): boolean => urls['large'] !== undefined;
