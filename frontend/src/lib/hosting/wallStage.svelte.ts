/** What stands large on a wall: another photo every few seconds, once its picture is there. */
import type { Image } from '../api/shapes';
import { Rotation } from './rotation';
import type { Wall } from './wall.svelte';

const STAYS = 8000; // milliseconds
const STAYS_WHILE_OTHERS_WAIT = 5000;
const EMPTY = 400;

export class WallStage {
  shown = $state.raw<Image | null>(null);
  readonly #rotation = new Rotation();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(readonly wall: Wall) {}

  /** The wall has other photos now. */
  put(images: readonly Image[]): void {
    this.#rotation.put(images.map(({ imageId }) => imageId));
    const now = images.find(({ imageId }) => imageId === this.shown?.imageId);
    if (this.shown && !now) this.shown = null;
    if (!this.shown) this.#after(0);
  }

  /** The next one, at once. */
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

  /** [Note: hidden] Where nobody looks, nothing is drawn, and what fades would pile up. A picture that does not come
   * (the network is away) is passed over: the one that is there stays.
   */
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
