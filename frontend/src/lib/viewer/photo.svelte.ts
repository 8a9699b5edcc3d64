/** The open photo with all that is known of it, and what its owner does with it. */
import { api, told } from '../api/client';
import { isCode } from '../api/errors';
import type { ImageDetails } from '../api/shapes';
import { readPhoto, setFavorite } from '../photos/onePhoto';
import { session } from '../session.svelte';
import { failed } from '../ui/failed';
import { viewer } from './viewer.svelte';

export type Field = 'title' | 'description' | 'altText' | 'takenAt';
export type Patch = Partial<Pick<ImageDetails, Field | 'tags' | 'visibility'>>;

/** Somebody has written something else meanwhile. */
export class Meanwhile extends Error {
  constructor(
    readonly mine: string,
    readonly theirs: string,
  ) {
    super('changed meanwhile');
  }
}

const TRIES = 3;

export class OpenPhoto {
  image = $state.raw<ImageDetails | null>(null);
  #loading: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #changing: Promise<void> = Promise.resolve();

  constructor(readonly id: string) {}

  get isOwn(): boolean {
    return this.image !== null && this.image.uploadedBy === session.profile?.email;
  }

  /** As it is on the server; what is under way already is waited for. `isAgain`: as it is by now, not as it was when
   * that was asked for.
   */
  load(isAgain = false): Promise<void> {
    if (!this.#loading) return (this.#loading = this.#load().finally(() => (this.#loading = null)));
    if (!isAgain) return this.#loading;
    return (this.#next ??= this.#loading
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.load();
      }));
  }

  async #load(): Promise<void> {
    this.image = await readPhoto(this.id);
  }

  /** At once for the eye; as before where the server does not agree. */
  async favour(favorite: boolean): Promise<void> {
    this.#show({ favorite });
    const takeBack = viewer.sequence?.show?.([this.id], { favorite });
    try {
      await setFavorite(this.id, favorite);
    } catch (error) {
      this.#show({ favorite: !favorite });
      takeBack?.();
      failed(error);
    }
  }

  /** A text that was `base` when it was begun to be edited. Meanwhile, where it is something else by now. */
  write(field: Field, base: string, mine: string): Promise<void> {
    return this.change((now) => {
      const theirs = now[field] ?? '';
      if (theirs !== base && theirs !== mine) throw new Meanwhile(mine, theirs);
      return { [field]: mine || null };
    });
  }

  /** `make` tells what to change of the photo as it is; it is asked again where somebody else was faster. One change
   * waits for the other: each needs the version that the one before it makes.
   */
  change(make: (now: ImageDetails) => Patch): Promise<void> {
    const done = this.#changing.then(() => this.#change(make));
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #change(make: (now: ImageDetails) => Patch): Promise<void> {
    for (let left = TRIES; this.image; left--) {
      const before = this.image;
      const patch = make(before);
      const body = { ...patch, version: before.version };
      this.#show(patch);
      try {
        const options = { params: { path: { imageId: this.id } }, body };
        this.image = await told(api.PATCH('/api/photos/{imageId}', options));
        return;
      } catch (error) {
        this.image = before;
        if (!isCode(error, 'VERSION_MISMATCH') || left <= 1) throw error;
        await this.load(true);
      }
    }
  }

  async retry(): Promise<void> {
    this.image = await told(api.POST('/api/photos/{imageId}/retry', { params: { path: { imageId: this.id } } }));
  }

  #show(patch: Partial<ImageDetails>): void {
    if (this.image) this.image = { ...this.image, ...patch };
  }
}
