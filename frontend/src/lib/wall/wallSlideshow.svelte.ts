/** Photo that the wall shows large, changed every few seconds. */
import type { Image } from '../api/types';
import type { WallFeed } from './wallFeed.svelte';

const STAYS = 8000; // milliseconds
const STAYS_WHILE_OTHERS_WAIT = 5000;
const EMPTY = 400;

export class WallSlideshow {
  shown = $state.raw<Image | null>(null);
  readonly #rotation = new WallRotation();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(readonly wall: WallFeed) {}

  /** The wall has other photos. */
  put(images: readonly Image[]): void {
    this.#rotation.put(images.map(({ imageId }) => imageId));
    const now = images.find(({ imageId }) => imageId === this.shown?.imageId);
    if (this.shown && !now) this.shown = null;
    if (!this.shown) this.#after(0);
  }

  /** Shows the next photo at once. */
  next(): void {
    this.#after(0);
  }

  stop(): void {
    this.#turn++;
    clearTimeout(this.#timer);
  }

  #after(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#show(++this.#turn), milliseconds);
  }

  /** A hidden page draws nothing, and its transitions would pile up. A picture that does not load is skipped. */
  async #show(turn: number): Promise<void> {
    const id = document.hidden ? null : this.#rotation.next(this.shown?.imageId ?? null);
    const image = this.wall.images.find(({ imageId }) => imageId === id);
    const isReady = image !== undefined && (await hasCome(image));
    if (turn !== this.#turn) return;
    const isThere = this.wall.images.some(({ imageId }) => imageId === id);
    if (image && isReady && isThere && id !== this.shown?.imageId) this.shown = image;
    if (this.wall.images.length) {
      const stays = this.#rotation.waiting ? STAYS_WHILE_OTHERS_WAIT : STAYS;
      this.#after(this.shown ? stays : EMPTY);
    }
  }
}

async function hasCome({ urls }: Image): Promise<boolean> {
  const picture = new Image();
  picture.src = urls['large'] ?? '';
  return picture.decode().then(
    () => true,
    () => false,
  );
}

/** Order in which the wall shows photos: new ones first, as they came; else the one not shown for longest. It keeps ids
 * of the wall's photos only.
 */
export class WallRotation {
  #all: readonly string[] = [];
  #fresh: readonly string[] = [];
  readonly #shown = new Map<string, number>();
  #turn = 0;
  #isNew = true;

  /** Number of new photos that were not shown yet. */
  get waiting(): number {
    return this.#fresh.length;
  }

  /** Sets the photos, newest first. */
  put(ids: readonly string[]): void {
    const [there, before] = [new Set(ids), new Set(this.#all)];
    const came = this.#isNew ? [] : ids.filter((id) => !before.has(id)).reverse();
    this.#fresh = [...this.#fresh.filter((id) => there.has(id)), ...came];
    for (const id of this.#shown.keys()) if (!there.has(id)) this.#shown.delete(id);
    this.#all = ids;
    this.#isNew = this.#isNew && !ids.length;
  }

  /** Next photo, another one than `now` if there is one; null if there is none. */
  next(now: string | null = null): string | null {
    const others = this.#all.filter((id) => id !== now);
    const fresh = this.#fresh.find((id) => id !== now);
    const found = fresh ?? longestAgo(others, this.#shown) ?? (now !== null && this.#all.includes(now) ? now : null);
    if (found !== null) this.#mark(found);
    return found;
  }

  #mark(id: string): void {
    this.#fresh = this.#fresh.filter((each) => each !== id);
    this.#shown.set(id, ++this.#turn);
  }
}

function longestAgo(ids: readonly string[], shown: ReadonlyMap<string, number>): string | null {
  let found: string | null = null;
  for (const id of ids) if (found === null || (shown.get(id) ?? 0) < (shown.get(found) ?? 0)) found = id;
  return found;
}
