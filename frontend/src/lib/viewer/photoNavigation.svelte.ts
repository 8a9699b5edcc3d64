/** Navigation through the photos around the open one. */
import { SvelteSet } from 'svelte/reactivity';
import type { Tile } from '../photos/tile';
import { viewer } from './viewerState.svelte';
import type { Direction } from './zoomPan.svelte';

export class PhotoNavigation {
  /** Photos removed while the viewer is open. Navigation skips them; the page drops them later. */
  readonly gone = new SvelteSet<string>();
  #dropped: ReadonlyMap<string, () => void> = new Map();
  #last = '';
  #place = 0;
  #loaded = $state(0);

  index = $derived(this.find());
  tile = $derived(this.index < 0 ? undefined : viewer.sequence?.at(this.index));
  before = $derived(this.#known(-1));
  after = $derived(this.#known(1));

  /** Number of the photo and of all, from 1; null for a photo that is open alone. */
  position = $derived.by(() => {
    const { sequence } = viewer;
    if (!sequence || this.index < 0) return null;
    const gone = [...this.gone].map((id) => sequence.indexOf(id)).filter((at) => at >= 0);
    const before = gone.filter((at) => at < this.index).length;
    return { n: this.index + 1 - before, count: sequence.count - gone.length };
  });

  /** Id of the open photo; while the viewer closes, of the last one. */
  get id(): string {
    return (this.#last = viewer.photo ?? this.#last);
  }

  /** Index of the open photo. Unlike `index` it works after the viewer has closed. */
  find(): number {
    const at = viewer.sequence?.indexOf(this.id) ?? -1;
    if (at >= 0) this.#place = at;
    return at;
  }

  /** Loads the photos on both sides, and the picture of the one after the next. */
  async preloadNeighbors(): Promise<void> {
    const { id } = this;
    await Promise.all([this.#load(1), this.#load(-1)]);
    if (id !== this.id) return;
    this.#loaded++;
    const ahead = await this.#load(1, this.find() + 1);
    const url = ahead?.url('large');
    if (url) new Image().src = url;
  }

  /** Opens the next or the previous photo; false if there is none. */
  async step(to: Direction): Promise<boolean> {
    const { id } = this;
    const tile = this.#known(to) ?? (await this.#load(to));
    if (!tile || id !== this.id) return false;
    viewer.replaceWith(tile.id);
    return true;
  }

  /** Opens the first photo, when a slideshow has come to its end. */
  async startOver(): Promise<boolean> {
    const first = await this.#load(1, -1);
    if (!first || first.id === this.id) return false;
    viewer.replaceWith(first.id);
    return true;
  }

  /** Removes the photo from the sequence and opens the next one, the previous one, or none. */
  async leave(id: string): Promise<void> {
    this.gone.add(id);
    if (id !== this.id) return;
    if (this.find() < 0) return this.#goOn();
    if (!(await this.step(1)) && !(await this.step(-1)) && id === this.id) viewer.close();
  }

  /** The viewer has closed: the page drops the removed photos. */
  drop(): void {
    const { sequence } = viewer;
    const dropped = [...this.gone].map((id) => [id, sequence?.show?.([id], { gone: true })] as const);
    this.#dropped = new Map(dropped.flatMap(([id, back]) => (back ? [[id, back]] : [])));
  }

  /** Restores a photo, on the page too if the viewer has closed. */
  bringBack(id: string): void {
    this.gone.delete(id);
    this.#dropped.get(id)?.();
    if (viewer.photo) viewer.replaceWith(id);
  }

  /** The page has dropped the open photo: the one that is now in its place is the next one. */
  #goOn(): void {
    const next = viewer.sequence?.at(this.#place) ?? viewer.sequence?.at(this.#place - 1);
    if (next) viewer.replaceWith(next.id);
    else viewer.close();
  }

  #known(to: Direction): Tile | undefined {
    void this.#loaded;
    const { sequence } = viewer;
    const index = this.find();
    if (!sequence || index < 0) return undefined;
    for (let at = index + to; at >= 0; at += to) {
      const tile = sequence.at(at);
      if (!tile || !this.gone.has(tile.id)) return tile;
    }
    return undefined;
  }

  async #load(to: Direction, from = this.find()): Promise<Tile | undefined> {
    const { sequence } = viewer;
    if (!sequence || this.find() < 0) return undefined;
    for (let at = from + to; at >= 0; at += to) {
      const tile = sequence.at(at) ?? (await sequence.load(at));
      if (!tile || !this.gone.has(tile.id)) return tile;
    }
    return undefined;
  }
}
