/** Scroll position of the timeline, its speed and its rest. */

const CALM_AFTER = 80; // milliseconds without scrolling
const FAST = 2.5; // pixels per millisecond: faster photos cannot be seen
const REST = 400; // milliseconds: the first step after a rest may be a whole page, and is not fast
const NEAR = 6000; // pixels: a longer step is a jump of the scroll bar

/** The page that is scrolled; replaced in tests. */
export interface ScrollPage {
  /** Distance of the window's top from the timeline's top. */
  place(): number;
  /** Moves the window by so much. */
  scrollBy(distance: number): void;
  now(): number;
}

export class Scroller {
  /** Position of the window's top in the timeline; negative while the page's header is visible. */
  top = $state(0);
  /** Difference between a position in the timeline and in the page. */
  shift = $state(0);
  height = $state(0);
  isFast = $state(false);
  isMoving = $state(false);
  readonly #page: ScrollPage;
  #map = $state.raw(new ScrollMap(0));
  #place = 0;
  #time = 0;
  #speed = 0; // mean of the last steps, pixels per millisecond
  #calming: ReturnType<typeof setTimeout> | undefined;

  constructor(page: ScrollPage) {
    this.#page = page;
  }

  get map(): ScrollMap {
    return this.#map;
  }

  /** Sets the height of the timeline. The caller scrolls next. */
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

  /** Scrolls to a position in the timeline at once. With `isPassing` more jumps follow, so nothing is loaded yet. */
  jump(top: number, isPassing = false): void {
    this.#moveTo(Math.round(top));
    this.isFast = isPassing;
    clearTimeout(this.#calming);
    if (isPassing) this.#calming = setTimeout(() => this.#rest(), CALM_AFTER);
  }

  /** Position of the next `jump`, which may be drawn before the page is high enough to scroll there. */
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

  /** The page and its content move in the same frame, so that nothing is seen to move. */
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

/** Mapping of a height beyond the browser's limit to a scrollable range.
 *
 * Near both ends a pixel is a pixel. Between them positions are proportional, while scrolling still moves pixel by
 * pixel (see Scroller).
 */
export const LIMIT = 15_000_000; // pixels: Firefox ends before 17.9 million, and floats are whole numbers up to 16.7 million
const EDGE = 1_000_000;

export class ScrollMap {
  readonly #edge: number;

  constructor(
    /** Height of the timeline. */
    readonly total: number,
    readonly limit: number = LIMIT,
    edge: number = EDGE,
  ) {
    this.#edge = Math.min(edge, limit / 4);
  }

  /** Height of the page. */
  get height(): number {
    return Math.min(this.total, this.limit);
  }

  get isWhole(): boolean {
    return this.total <= this.limit;
  }

  /** Largest difference between a position and its proportional one: beyond it an end of the page may come too early.
   */
  get slack(): number {
    return this.#edge / 2;
  }

  /** Position in the timeline of a position in the page. */
  toWhole(place: number): number {
    if (this.isWhole || place <= this.#edge) return place;
    const fromEnd = this.height - place;
    if (fromEnd <= this.#edge) return this.total - fromEnd;
    return this.#edge + ((place - this.#edge) * (this.total - 2 * this.#edge)) / (this.height - 2 * this.#edge);
  }

  /** Position in the page of a position in the timeline. */
  toPage(place: number): number {
    if (this.isWhole || place <= this.#edge) return place;
    const fromEnd = this.total - place;
    if (fromEnd <= this.#edge) return this.height - fromEnd;
    return this.#edge + ((place - this.#edge) * (this.height - 2 * this.#edge)) / (this.total - 2 * this.#edge);
  }
}
