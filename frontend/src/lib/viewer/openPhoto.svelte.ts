/** Store of the open photo's details, with edits and conflicts. */
import { api, unwrap } from '../api/client';
import { hasCode } from '../api/errors';
import type { ImageDetails } from '../api/types';
import { session } from '../auth/session.svelte';
import { fetchPhoto, setFavorite } from '../photos/favoriteMarks';
import { toastError } from '../ui/toasts.svelte';
import { viewer } from './viewerState.svelte';

export type PhotoField = 'title' | 'description' | 'altText' | 'takenAt';
export type PhotoPatch = Partial<Pick<ImageDetails, PhotoField | 'tags' | 'visibility'>>;

/** Another user has changed the text meanwhile. */
export class EditConflictError extends Error {
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

  /** Loads the details; calls while they load wait for the same request. `isAgain`: they are loaded once more after it.
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
    this.image = await fetchPhoto(this.id);
  }

  /** Shows the change at once, and undoes it if the request fails. */
  async setFavorite(favorite: boolean): Promise<void> {
    this.#show({ favorite });
    const takeBack = viewer.sequence?.show?.([this.id], { favorite });
    try {
      await setFavorite(this.id, favorite);
    } catch (error) {
      this.#show({ favorite: !favorite });
      takeBack?.();
      toastError(error);
    }
  }

  /** Saves a text that was `base` when editing began. EditConflictError if it is a different one by now. */
  write(field: PhotoField, base: string, mine: string): Promise<void> {
    return this.change((now) => {
      const theirs = now[field] ?? '';
      if (theirs !== base && theirs !== mine) throw new EditConflictError(mine, theirs);
      return { [field]: mine || null };
    });
  }

  /** `make` returns the changes for the current details; it is called again if another change came first. Changes run
   * one after the other, since each needs the version that the last one made.
   */
  change(make: (now: ImageDetails) => PhotoPatch): Promise<void> {
    const done = this.#changing.then(() => this.#change(make));
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #change(make: (now: ImageDetails) => PhotoPatch): Promise<void> {
    for (let left = TRIES; this.image; left--) {
      const before = this.image;
      const patch = make(before);
      const body = { ...patch, version: before.version };
      this.#show(patch);
      try {
        const options = { params: { path: { imageId: this.id } }, body };
        this.image = await unwrap(api.PATCH('/api/photos/{imageId}', options));
        return;
      } catch (error) {
        this.image = before;
        if (!hasCode(error, 'VERSION_MISMATCH') || left <= 1) throw error;
        await this.load(true);
      }
    }
  }

  async retry(): Promise<void> {
    this.image = await unwrap(api.POST('/api/photos/{imageId}/retry', { params: { path: { imageId: this.id } } }));
  }

  async retryFaces(): Promise<void> {
    const params = { path: { imageId: this.id } };
    this.image = await unwrap(api.POST('/api/photos/{imageId}/faces/retry', { params }));
  }

  #show(patch: Partial<ImageDetails>): void {
    if (this.image) this.image = { ...this.image, ...patch };
  }
}
