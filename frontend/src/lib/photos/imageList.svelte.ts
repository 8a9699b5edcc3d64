/** Images that the server tells page by page, newest first: a list of them, and the order that a viewer walks in. */
import type { Image } from '../api/shapes';
import type { Changeable, Shown } from './changes';
import { marksSince } from './marking';
import type { Sequence } from './sequence';
import { tileOfImage, type Tile } from './tile';

export interface ListPage {
  readonly images: readonly Image[];
  readonly lastEvaluatedKey?: string | null;
}
/** `limit`: so many are wanted; without it, and at least, a page. */
type Load = (cursor: string | undefined, limit?: number) => Promise<ListPage>;

const MOST = 500; // that the server tells at once

/** What the server tells, with what was marked here meanwhile. */
export async function asMarked<Page extends ListPage>(ask: Promise<Page>): Promise<Page> {
  const asked = Date.now();
  const page = await ask;
  const marks = marksSince(asked);
  if (!marks.size) return page;
  const images = page.images.map((image) => ({ ...image, favorite: marks.get(image.imageId) ?? image.favorite }));
  return { ...page, images };
}

export class ImageList implements Sequence, Changeable {
  images = $state.raw<readonly Image[]>([]);
  isComplete = $state(false);
  /** What was asked for last did not come. */
  hasFailed = $state(false);
  readonly #load: Load;
  #cursor: string | undefined;
  #loading: Promise<void> | null = null;
  #turn = 0;
  #renewal = 0;

  constructor(load: Load) {
    this.#load = (cursor, limit) => asMarked(load(cursor, limit));
  }

  get count(): number {
    return this.images.length;
  }

  at(index: number): Tile | undefined {
    const image = this.images[index];
    return image && tileOfImage(image);
  }

  async load(index: number): Promise<Tile | undefined> {
    while (index >= this.images.length && !this.isComplete) await this.loadMore();
    return this.at(index);
  }

  indexOf(id: string): number {
    return this.images.findIndex((image) => image.imageId === id);
  }

  /** One page more; the same one where it is asked for twice. */
  loadMore(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return (this.#loading ??= this.#begun(this.#next(this.#turn, this.#cursor)));
  }

  /** All of it anew: what is shown stays until the first page is there. What is under way still is not waited for. */
  reset(): Promise<void> {
    return (this.#loading = this.#begun(this.#next(++this.#turn, undefined)));
  }

  /** As much as is shown, anew and all at once, so that nothing moves that has not changed. */
  async renew(): Promise<void> {
    if (!this.count) return this.reset();
    const [turn, renewal] = [this.#turn, ++this.#renewal];
    let images: readonly Image[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#load(cursor, Math.min(MOST, this.count - images.length));
      if (turn !== this.#turn || renewal !== this.#renewal) return;
      images = [...images, ...page.images];
      cursor = page.lastEvaluatedKey ?? undefined;
    } while (cursor !== undefined && images.length < this.count);
    this.#turn++;
    this.#set(images, cursor);
    if (!this.#loading) return;
    this.#loading = null; // a page that was to follow what was there before
    await this.loadMore();
  }

  /** What is new at the top; all of it anew where that is more than a page. */
  async refresh(): Promise<void> {
    const turn = this.#turn;
    const { images } = await this.#load(undefined);
    if (turn !== this.#turn) return;
    const known = new Set(this.images.map((image) => image.imageId));
    const reaches = images.length === 0 || images.some((image) => known.has(image.imageId));
    if (!reaches) return this.reset();
    const newest = new Set(images.map((image) => image.imageId));
    this.images = [...images, ...this.images.filter((image) => !newest.has(image.imageId))];
  }

  drop(ids: readonly string[]): void {
    const gone = new Set(ids);
    this.images = this.images.filter((image) => !gone.has(image.imageId));
  }

  /** An image as it is now, where it stands. */
  update(image: Image): void {
    this.images = this.images.map((each) => (each.imageId === image.imageId ? { ...each, ...image } : each));
  }

  isFavorite(id: string): boolean {
    return this.images.some((image) => image.imageId === id && image.favorite);
  }

  show(ids: readonly string[], shown: Shown): () => void {
    const [asked, before] = [new Set(ids), this.images];
    if ('gone' in shown) this.drop(ids);
    else
      this.images = before.map((image) => (asked.has(image.imageId) ? { ...image, favorite: shown.favorite } : image));
    return () => this.#putBack(asked, before);
  }

  /** These as they were before, among those that are there by now. */
  #putBack(ids: ReadonlySet<string>, before: readonly Image[]): void {
    const now = new Map(this.images.map((image) => [image.imageId, image]));
    const old = before.filter(({ imageId }) => ids.has(imageId) || now.has(imageId));
    const known = new Set(old.map(({ imageId }) => imageId));
    const back = old.map((image) => (ids.has(image.imageId) ? image : (now.get(image.imageId) ?? image)));
    const isNew = (image: Image) => !known.has(image.imageId);
    const firstKnown = this.images.findIndex((image) => !isNew(image));
    const newer = firstKnown < 0 ? [] : this.images.slice(0, firstKnown).filter(isNew);
    const older = this.images.slice(Math.max(0, firstKnown)).filter(isNew);
    this.images = [...newer, ...back, ...older];
  }

  #begun(next: Promise<void>): Promise<void> {
    this.hasFailed = false;
    const ended = (hasFailed: boolean) => {
      if (this.#loading !== loading) return;
      this.#loading = null;
      this.hasFailed = hasFailed;
    };
    const loading = next.then(
      () => ended(false),
      (error: unknown) => {
        ended(true);
        throw error;
      },
    );
    return loading;
  }

  async #next(turn: number, cursor: string | undefined): Promise<void> {
    const page = await this.#load(cursor);
    if (turn !== this.#turn) return;
    this.#set(
      cursor === undefined ? page.images : [...this.images, ...page.images],
      page.lastEvaluatedKey ?? undefined,
    );
  }

  #set(images: readonly Image[], cursor: string | undefined): void {
    this.images = images;
    this.#cursor = cursor;
    this.isComplete = cursor === undefined;
    this.hasFailed = false;
  }
}
