/** One's own photos with those that wait or failed, as they change. */
import { api, told } from '../api/client';
import { ApiError } from '../api/errors';
import type { Image } from '../api/shapes';
import type { PhotoTold } from '../live/stream';
import { ImageList } from '../photos/imageList.svelte';

const PAGE = 60;

export class OwnUploads {
  readonly list = new ImageList((cursor) =>
    told(api.GET('/api/me/photos', { params: { query: { limit: PAGE, ...(cursor && { cursor }) } } })),
  );
  readonly #email: string;

  constructor(email: string) {
    this.#email = email;
  }

  /** A photo of one's own came or changed: it stands where it stood, or first. */
  async hear({ imageId, gone, uploadedBy, trashedAt }: PhotoTold): Promise<void> {
    const isHere = this.list.indexOf(imageId) >= 0;
    if (gone || trashedAt) return this.list.drop([imageId]);
    if (!isHere && uploadedBy !== this.#email) return;
    const image = await this.#find(imageId);
    if (!image) this.list.drop([imageId]);
    else if (this.list.indexOf(imageId) >= 0) this.list.update(image);
    else if (this.#isNewest(image)) this.list.images = [image, ...this.list.images];
  }

  async retry(image: Image): Promise<void> {
    const params = { path: { imageId: image.imageId } };
    const now = await told(api.POST('/api/photos/{imageId}/retry', { params }));
    this.list.images = this.list.images.map((each) => (each.imageId === image.imageId ? now : each));
  }

  async delete(image: Image): Promise<void> {
    await told(api.DELETE('/api/me/photos/{imageId}', { params: { path: { imageId: image.imageId } } }));
    this.list.drop([image.imageId]);
  }

  async #find(imageId: string): Promise<Image | null> {
    try {
      return await told(api.GET('/api/photos/{imageId}', { params: { path: { imageId } } }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** An older one comes with its page. */
  #isNewest(image: Image): boolean {
    const first = this.list.images[0];
    return !first || timeOf(image) >= timeOf(first);
  }
}

const timeOf = (image: Image): string => image.uploaded_datetime ?? '';
