/** Where the window is over a timeline, how fast it moves, and when it has come to rest. */
import { ScrollMap } from './scrollMap';

const CALM_AFTER = 80; // milliseconds without a step
const FAST = 2.5; // pixels a millisecond: what passes faster cannot be looked at
const REST = 400; // milliseconds: the first step after it may be a page's length, and is not fast
const NEAR = 6000; // pixels: a longer step is a leap of the scroll bar, not scrolling

/** What it scrolls: the place of the timeline's top within the page. */
export interface Page {
  /** How far the window's top is below the timeline's. */
  place(): number;
  /** Moves the window by so much. */
  scrollBy(distance: number): void;
  now(): number;
}

export class Scroller {
  /** The place of the window's top in the whole timeline; negative while what stands before it is to be seen. */
  top = $state(0);
  /** What a place in the whole is more than the same place in the page. */
  shift = $state(0);
  height = $state(0);
  isFast = $state(false);
  isMoving = $state(false);
  readonly #page: Page;
  #map = $state.raw(new ScrollMap(0));
  #place = 0;
  #time = 0;
  #speed = 0; // the mean of the last steps, pixels a millisecond
  #calming: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  get map(): ScrollMap {
    return this.#map;
  }

  /** Everything is as high as this by now. Whoever calls it says next where to be. */
  resize(total: number): void {
    if (total !== this.#map.total) this.#map = new ScrollMap(total);
  }

  /** The window was scrolled. */
  scrolled(): void {
    const [place, now] = [this.#page.place(), this.#page.now()];
    const top = this.#topAt(place);
    const [moved, took] = [Math.abs(top - this.top), Math.min(now - this.#time, REST)];
    if (!moved) return;
    this.#speed = (this.#speed + moved / Math.max(1, took)) / 2;
    this.isFast = this.#speed > FAST;
    this.isMoving = true;
    this.#set(place, top);
    this.#time = now;
    clearTimeout(this.#calming);
    this.#calming = setTimeout(() => this.#rest(), CALM_AFTER);
  }

  /** To a place in the whole timeline, at once; to the nearest where there is none. With `isPassing`, others follow
   * soon: nothing is to be asked for yet.
   */
  jump(top: number, isPassing = false): void {
    this.#moveTo(Math.round(top));
    this.isFast = isPassing;
    clearTimeout(this.#calming);
    if (isPassing) this.#calming = setTimeout(() => this.#rest(), CALM_AFTER);
  }

  /** Where `jump` will be next, when the page is high enough: what is drawn may go ahead. */
  aim(top: number): void {
    this.#set(Math.round(this.#map.toPage(top)), Math.round(top));
  }

  end(): void {
    clearTimeout(this.#calming);
  }

  #topAt(place: number): number {
    const here = place + this.shift;
    const isLeap = Math.abs(place - this.#place) > Math.max(NEAR, 3 * this.height);
    if (this.#map.isWhole || isLeap) return this.#map.toWhole(place);
    return Math.abs(this.#map.toPage(here) - place) > this.#map.slack ? this.#map.toWhole(place) : here;
  }

  #rest(): void {
    this.isFast = this.isMoving = false;
    this.#speed = 0;
    const stray = this.#map.toPage(this.top) - this.#place;
    if (Math.abs(stray) >= 1) this.#moveTo(this.top);
  }

  /** [Note: both at once] The page and what is drawn in it move in the same frame, so that nothing is seen to move. */
  #moveTo(top: number): void {
    const wanted = this.#map.isWhole ? top : Math.round(this.#map.toPage(top));
    this.#page.scrollBy(wanted - this.#page.place());
    const place = this.#page.place();
    const isThere = Math.abs(place - wanted) < 1;
    this.#set(place, isThere && !this.#map.isWhole ? top : this.#map.toWhole(place));
    this.#time = this.#page.now();
  }

  #set(place: number, top: number): void {
    this.#place = place;
    this.shift = Math.round(top - place);
    this.top = place + this.shift;
  }
}
