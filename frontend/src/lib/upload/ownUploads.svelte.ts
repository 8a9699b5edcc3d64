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
  readonly #deleted = new Set<string>();

  constructor(email: string) {
    this.#email = email;
  }

  /** A photo of one's own came or changed: it stands where it stood, or in its place. */
  async hear({ imageId, gone, uploadedBy, trashedAt }: PhotoTold): Promise<void> {
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
    const now = await told(api.POST('/api/photos/{imageId}/retry', { params }));
    this.list.images = this.list.images.map((each) => (each.imageId === image.imageId ? now : each));
  }

  async delete({ imageId }: Image): Promise<void> {
    this.#deleted.add(imageId);
    try {
      await told(api.DELETE('/api/me/photos/{imageId}', { params: { path: { imageId } } }));
      this.list.drop([imageId]);
    } catch (error) {
      this.#deleted.delete(imageId);
      throw error;
    }
  }

  async #find(imageId: string): Promise<Image | null> {
    try {
      return await told(api.GET('/api/photos/{imageId}', { params: { path: { imageId } } }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** By its time, as the server lists them; one that is older than all that is loaded comes with its page. */
  #insert(image: Image): void {
    const { images, isComplete } = this.list;
    const older = images.findIndex((each) => timeOf(each) < timeOf(image));
    if (older < 0 && !isComplete) return;
    this.list.images = images.toSpliced(older < 0 ? images.length : older, 0, image);
  }
}

const timeOf = (image: Image): string => image.uploaded_datetime ?? '';
