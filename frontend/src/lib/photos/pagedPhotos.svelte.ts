/** Paged list of photos, which the viewer walks through and actions change. */
import type { Image } from '../api/types';
import { PAGE_SIZE, PagedList } from '../ui/pagedList.svelte';
import type { ChangeablePhotos, OptimisticChange } from './bulkChanges';
import { pendingFavoritesSince } from './favoriteMarks';
import { type PhotoSequence, type Tile, tileOfPhoto } from './tile';

export interface PhotoPage {
  readonly images: readonly Image[];
  readonly lastEvaluatedKey?: string | null;
}
type Load = (cursor: string | undefined, limit?: number) => Promise<PhotoPage>;
/** Request for a page of photos. */
export type LoadPhotos = (cursor: string | undefined, limit: number) => Promise<PhotoPage>;

/** List of photos in pages of the usual size. */
export const pagedPhotos = (load: LoadPhotos): PagedPhotos =>
  new PagedPhotos((cursor, limit = 0) => load(cursor, Math.max(PAGE_SIZE, limit)));

/** Page with the favorites that were marked here after it was requested. */
export async function withPendingFavorites(request: Promise<PhotoPage>): Promise<PhotoPage> {
  const requestedAt = Date.now();
  const page = await request;
  const marks = pendingFavoritesSince(requestedAt);
  if (!marks.size) return page;
  const images = page.images.map((image) => ({ ...image, favorite: marks.get(image.imageId) ?? image.favorite }));
  return { ...page, images };
}

export class PagedPhotos extends PagedList<Image> implements PhotoSequence, ChangeablePhotos {
  constructor(load: Load) {
    super(
      async (cursor, limit) => {
        const { images, lastEvaluatedKey } = await withPendingFavorites(load(cursor, limit));
        return { items: images, next: lastEvaluatedKey ?? null };
      },
      ({ imageId }) => imageId,
    );
  }

  at(index: number): Tile | undefined {
    const image = this.items[index];
    return image && tileOfPhoto(image);
  }

  async load(index: number): Promise<Tile | undefined> {
    while (index >= this.count && !this.isComplete) await this.loadMore();
    return this.at(index);
  }

  indexOf(id: string): number {
    return this.items.findIndex((image) => image.imageId === id);
  }

  isFavorite(id: string): boolean {
    return this.items.some((image) => image.imageId === id && image.favorite);
  }

  show(ids: readonly string[], change: OptimisticChange): () => void {
    const [changed, before] = [new Set(ids), this.items];
    if ('gone' in change) this.drop(ids);
    else
      this.items = before.map((image) =>
        changed.has(image.imageId) ? { ...image, favorite: change.favorite } : image,
      );
    return () => this.#putBack(changed, before);
  }

  /** Restores these photos among those that are in the list by now. */
  #putBack(ids: ReadonlySet<string>, before: readonly Image[]): void {
    const now = new Map(this.items.map((image) => [image.imageId, image]));
    const old = before.filter(({ imageId }) => ids.has(imageId) || now.has(imageId));
    const known = new Set(old.map(({ imageId }) => imageId));
    const back = old.map((image) => (ids.has(image.imageId) ? image : (now.get(image.imageId) ?? image)));
    const isNew = (image: Image) => !known.has(image.imageId);
    const firstKnown = this.items.findIndex((image) => !isNew(image));
    const newer = firstKnown < 0 ? [] : this.items.slice(0, firstKnown).filter(isNew);
    const older = this.items.slice(Math.max(0, firstKnown)).filter(isNew);
    this.items = [...newer, ...back, ...older];
  }
}
