/** Store of the user's own uploads, updated by live events. */
import { api, unwrap } from '../api/client';
import { ApiError } from '../api/errors';
import type { Image } from '../api/types';
import type { PhotoEvent } from '../live/liveEvents';
import { PagedPhotos } from '../photos/pagedPhotos.svelte';

const PAGE = 60;

export class MyUploadList {
  readonly list = new PagedPhotos((cursor) =>
    unwrap(api.GET('/api/me/photos', { params: { query: { limit: PAGE, ...(cursor && { cursor }) } } })),
  );
  readonly #email: string;
  readonly #deleted = new Set<string>();

  constructor(email: string) {
    this.#email = email;
  }

  /** Adds or updates a photo of the user. */
  async onPhotoEvent({ imageId, gone, uploadedBy, trashedAt }: PhotoEvent): Promise<void> {
    const isHere = this.list.indexOf(imageId) >= 0;
    if (gone || trashedAt) return this.list.drop([imageId]);
    if (this.#deleted.has(imageId)) return;
    if (!isHere && uploadedBy !== this.#email) return;
    const image = await this.#find(imageId);
    if (!image) this.list.drop([imageId]);
    else if (this.list.indexOf(imageId) >= 0) this.list.update(image);
    else this.#insert(image);
  }

  async retry(image: Image): Promise<void> {
    const params = { path: { imageId: image.imageId } };
    const now = await unwrap(api.POST('/api/photos/{imageId}/retry', { params }));
    this.list.items = this.list.items.map((each) => (each.imageId === image.imageId ? now : each));
  }

  async delete({ imageId }: Image): Promise<void> {
    this.#deleted.add(imageId);
    try {
      await unwrap(api.DELETE('/api/me/photos/{imageId}', { params: { path: { imageId } } }));
      this.list.drop([imageId]);
    } catch (error) {
      this.#deleted.delete(imageId);
      throw error;
    }
  }

  async #find(imageId: string): Promise<Image | null> {
    try {
      return await unwrap(api.GET('/api/photos/{imageId}', { params: { path: { imageId } } }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Inserts by time, as the server sorts; a photo older than all loaded ones comes with its page. */
  #insert(image: Image): void {
    const { items: images, isComplete } = this.list;
    const older = images.findIndex((each) => timeOf(each) < timeOf(image));
    if (older < 0 && !isComplete) return;
    this.list.items = images.toSpliced(older < 0 ? images.length : older, 0, image);
  }
}

const timeOf = (image: Image): string => image.uploaded_datetime ?? '';
