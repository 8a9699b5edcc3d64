/** The way through the photos of the page below: the open one, and those before and after it. */
import { SvelteSet } from 'svelte/reactivity';
import type { Tile } from '../photos/tile';
import type { Direction } from './stage.svelte';
import { viewer } from './viewer.svelte';

export class Walk {
  /** Thrown away while the viewer is open, or gone by themselves: one walks past them. The page drops them later. */
  readonly gone = new SvelteSet<string>();
  #dropped: ReadonlyMap<string, () => void> = new Map();
  #last = '';
  #place = 0;
  #loaded = $state(0);

  index = $derived(this.find());
  tile = $derived(this.index < 0 ? undefined : viewer.sequence?.at(this.index));
  before = $derived(this.#known(-1));
  after = $derived(this.#known(1));

  /** Which one it is and of how many, from 1 on; null for a photo that is open alone. */
  position = $derived.by(() => {
    const { sequence } = viewer;
    if (!sequence || this.index < 0) return null;
    const gone = [...this.gone].map((id) => sequence.indexOf(id)).filter((at) => at >= 0);
    const before = gone.filter((at) => at < this.index).length;
    return { n: this.index + 1 - before, count: sequence.count - gone.length };
  });

  /** The open photo. While the viewer closes it is the last one. */
  get id(): string {
    return (this.#last = viewer.photo ?? this.#last);
  }

  /** Where the open photo is now. Unlike `index` it may be asked for when the viewer is closed. */
  find(): number {
    const at = viewer.sequence?.indexOf(this.id) ?? -1;
    if (at >= 0) this.#place = at;
    return at;
  }

  /** Loads the photos on both sides, so that stepping need not wait; and, for who goes on fast, the one after. */
  async look(): Promise<void> {
    const { id } = this;
    await Promise.all([this.#load(1), this.#load(-1)]);
    if (id !== this.id) return;
    this.#loaded++;
    const ahead = await this.#load(1, this.find() + 1);
    const url = ahead?.url('large');
    if (url) new Image().src = url;
  }

  /** Opens the next photo, or the one before; false where there is none. */
  async step(to: Direction): Promise<boolean> {
    const { id } = this;
    const tile = this.#known(to) ?? (await this.#load(to));
    if (!tile || id !== this.id) return false;
    viewer.turnTo(tile.id);
    return true;
  }

  /** Opens the first of all, for a slideshow that has come to its end. */
  async startOver(): Promise<boolean> {
    const first = await this.#load(1, -1);
    if (!first || first.id === this.id) return false;
    viewer.turnTo(first.id);
    return true;
  }

  /** The photo is not there any more: the next one is opened, or the one before, or none. */
  async leave(id: string): Promise<void> {
    this.gone.add(id);
    if (id !== this.id) return;
    if (this.find() < 0) return this.#goOn();
    if (!(await this.step(1)) && !(await this.step(-1)) && id === this.id) viewer.close();
  }

  /** The viewer is closed: the page shows what is left. */
  drop(): void {
    const { sequence } = viewer;
    const dropped = [...this.gone].map((id) => [id, sequence?.show?.([id], { gone: true })] as const);
    this.#dropped = new Map(dropped.flatMap(([id, back]) => (back ? [[id, back]] : [])));
  }

  /** It is there again, as before; on the page, too, where the viewer is closed by now. */
  bringBack(id: string): void {
    this.gone.delete(id);
    this.#dropped.get(id)?.();
    if (viewer.photo) viewer.turnTo(id);
  }

  /** The page has dropped the open photo already: what is at its place now is the next one. */
  #goOn(): void {
    const next = viewer.sequence?.at(this.#place) ?? viewer.sequence?.at(this.#place - 1);
    if (next) viewer.turnTo(next.id);
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
