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
type Load = (cursor: string | undefined) => Promise<ListPage>;

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
  readonly #load: Load;
  #cursor: string | undefined;
  #loading: Promise<void> | null = null;
  #turn = 0;

  constructor(load: Load) {
    this.#load = (cursor) => asMarked(load(cursor));
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
    const loading = next.finally(() => {
      if (this.#loading === loading) this.#loading = null;
    });
    return loading;
  }

  async #next(turn: number, cursor: string | undefined): Promise<void> {
    const page = await this.#load(cursor);
    if (turn !== this.#turn) return;
    this.images = cursor === undefined ? page.images : [...this.images, ...page.images];
    this.#cursor = page.lastEvaluatedKey ?? undefined;
    this.isComplete = this.#cursor === undefined;
  }
}
