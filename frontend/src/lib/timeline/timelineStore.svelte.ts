/** Store of a timeline: layout, loaded months and live changes. */
import { tick } from 'svelte';
import { api } from '../api/client';
import { ApiError } from '../api/errors';
import type { ChangeablePhotos, OptimisticChange } from '../photos/bulkChanges';
import { rowHeightFor } from '../photos/justifiedRows';
import { prerenderThumbhashes } from '../photos/thumbhash';
import type { PhotoSequence, Tile } from '../photos/tile';
import { yieldToBrowser } from '../yieldToBrowser';
import { MonthCache, type MonthColumns, type TimelineScope } from './monthCache';
import { parseRatioStrip, type MonthRatios } from './ratioStrip';
import type { Scroller } from './scroller.svelte';
import { TimelineLayout, type LayoutMeasures } from './timelineLayout';

/** A photo and its distance below the window's top, which stays the same when the layout changes. */
export interface Anchor {
  readonly month: string;
  readonly at: number;
  readonly id?: string | undefined;
  readonly below: number;
}

const GAP = 4;
const FIRST = 24; // photos that a page shows, about
const CHANGED = -1; // a version that the server never has
const SOON = 400; // milliseconds: events come in bursts
const LATER = 1500;
const COVERED = 124; // pixels that the header and a month's heading cover

export class Timeline implements PhotoSequence, ChangeablePhotos {
  layout = $state.raw(new TimelineLayout([], measuresFor(0)));
  isLoaded = $state(false);
  error = $state.raw<unknown>(null);
  readonly months: MonthCache;
  #shapes: readonly MonthRatios[] = [];
  #etag: string | null = null;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #opening: Anchor | null = null;
  #isEnded = false;

  constructor(
    readonly scope: TimelineScope,
    readonly scroller: Scroller,
    readonly onfail: (error: unknown) => void,
  ) {
    this.months = new MonthCache(scope, onfail);
  }

  /** Loads the timeline, scrolled to the anchor or to the top. */
  async open(anchor: Anchor | null): Promise<void> {
    this.error = null;
    try {
      this.#opening = anchor;
      const newest = anchor ? undefined : this.months.fetchNewest();
      const strip = await this.#strip();
      await yieldToBrowser();
      const layout = strip && new TimelineLayout(strip.shapes, this.layout.measures);
      await yieldToBrowser();
      if (layout) this.#place(layout.months, anchor, this.layout.measures, layout);
      this.#etag = strip?.etag ?? null;
      await yieldToBrowser();
      const begun = await newest;
      await prerenderThumbhashes(begun?.told.thumbhashes.slice(0, FIRST) ?? []);
      if (begun) this.months.begin(begun);
      this.isLoaded = true;
    } catch (error) {
      this.error = error;
    }
  }

  /** Lays out again for another width. */
  measure(width: number): void {
    const before = this.layout.measures;
    if (!width || width === before.width) return;
    this.#place(this.#shapes, before.width ? this.anchor() : this.#opening, measuresFor(width));
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#waiting);
    this.months.end();
    this.scroller.end();
  }

  // -- PhotoSequence

  get count(): number {
    return this.layout.count;
  }

  at(index: number): Tile | undefined {
    const { layout } = this;
    const month = layout.monthOf(index);
    return this.months.get(layout.months[month]?.month ?? '')?.tile(index - (layout.monthStarts[month] ?? 0));
  }

  async load(index: number): Promise<Tile | undefined> {
    const { layout } = this;
    if (index < 0 || index >= layout.count) return undefined;
    const month = layout.monthOf(index);
    const columns = await this.months.load(layout.months[month]?.month ?? '');
    return columns.tile(index - (layout.monthStarts[month] ?? 0));
  }

  indexOf(id: string): number {
    for (const [month, { ids }] of this.months.held) {
      const at = ids.indexOf(id);
      if (at >= 0) return this.#start(month) + at;
    }
    return -1;
  }

  /** Ids from one photo to another; loads the months between. */
  async between(from: string, to: string): Promise<readonly string[]> {
    const [one, other] = [this.indexOf(from), this.indexOf(to)];
    if (one < 0 || other < 0) return [];
    const { layout } = this;
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    const ids: string[] = [];
    for (let month = layout.monthOf(first); month <= layout.monthOf(last); month++) {
      const columns = await this.months.load(layout.months[month]?.month ?? '');
      const start = layout.monthStarts[month] ?? 0;
      ids.push(...columns.ids.slice(Math.max(0, first - start), last - start + 1));
    }
    return ids;
  }

  /** Ids of the photos of the same day, within the month. */
  async dayOf(id: string): Promise<readonly string[]> {
    const columns = await this.#wholeMonthOf(id);
    if (!columns) return [];
    const day = columns.day(columns.ids.indexOf(id));
    return columns.ids.filter((_, at) => columns.day(at) === day);
  }

  async monthOf(id: string): Promise<readonly string[]> {
    return (await this.#wholeMonthOf(id))?.ids ?? [];
  }

  // -- Changes

  /** Topmost visible photo, which stays in place while photos come and go; null at the top. */
  anchor(): Anchor | null {
    const { layout, scroller } = this;
    if (scroller.top <= 0 || !layout.count) return null;
    const line = scroller.top + COVERED;
    let row = layout.rowAt(line);
    if ((layout.rowTops[row] ?? 0) + (layout.rowHeights[row] ?? 0) < line && row + 1 < layout.rowCount) row++;
    const photo = layout.rowStarts[row] ?? 0;
    const month = layout.monthOf(photo);
    const at = photo - (layout.monthStarts[month] ?? 0);
    const name = layout.months[month]?.month ?? '';
    return { month: name, at, id: this.months.get(name)?.ids[at], below: (layout.rowTops[row] ?? 0) - scroller.top };
  }

  /** Refreshes once for many calls. */
  refreshSoon(after = SOON): void {
    if (this.#isEnded || this.#waiting !== undefined) return;
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      void this.refresh();
    }, after);
  }

  /** Refreshes run one after the other, so that an older response never follows a newer one. */
  refresh(): Promise<void> {
    return (this.#refreshing = this.#refreshing.then(() => this.#refresh()).catch(this.onfail));
  }

  /** Reloads everything. */
  reset(): Promise<void> {
    this.#etag = null;
    this.#shapes = this.#shapes.map((each) => ({ ...each, version: CHANGED }));
    return this.refresh();
  }

  /** Reloads the month of a photo, whose changes may have no event. */
  async reloadAround(index: number): Promise<void> {
    const { month, ratios } = this.layout.months[this.layout.monthOf(index)] ?? {};
    if (!month) return;
    const fresh = await this.months.fetch(month);
    if (fresh.ids.length === ratios?.length) this.months.take(fresh);
    else this.refreshSoon();
  }

  isFavorite(id: string): boolean {
    return this.#columnsOf(id)?.told.favorites.includes(id) ?? false;
  }

  show(ids: readonly string[], shown: OptimisticChange): () => void {
    const asked = new Set(ids);
    const before = [...this.months.held].filter(([, columns]) => columns.ids.some((id) => asked.has(id)));
    const shapes = new Map(this.#shapes.map((each) => [each.month, each]));
    const show = (columns: MonthColumns) =>
      'gone' in shown ? columns.without(asked) : columns.marked(new Map(ids.map((id) => [id, shown.favorite])));
    for (const [month, columns] of before) this.months.set(month, show(columns));
    const changed = before.map(([month]) => month);
    if ('gone' in shown) this.#reshape(changed, (month, ratios) => this.#kept(before, month, ratios, asked));
    return () => {
      for (const [month, columns] of before) this.months.set(month, columns);
      this.#reshape(changed, (month) => shapes.get(month)?.ratios ?? new Uint8Array());
      this.refreshSoon();
    };
  }

  #kept(
    before: readonly [string, MonthColumns][],
    month: string,
    ratios: Uint8Array,
    gone: ReadonlySet<string>,
  ): Uint8Array {
    const ids = before.find(([name]) => name === month)?.[1].ids ?? [];
    return ratios.filter((_, at) => !gone.has(ids[at] ?? ''));
  }

  /** Replaces months in the layout; a month that was empty is put in its place. */
  #reshape(months: readonly string[], ratiosOf: (month: string, ratios: Uint8Array) => Uint8Array): void {
    const all = new Map(this.#shapes.map((each) => [each.month, each]));
    for (const month of months) {
      const ratios = ratiosOf(month, all.get(month)?.ratios ?? new Uint8Array());
      if (ratios.length) all.set(month, { month, version: CHANGED, ratios });
      else all.delete(month);
    }
    const sorted = [...all.values()].sort((one, other) => (one.month < other.month ? 1 : -1));
    this.#etag = null;
    this.#place(sorted, this.anchor());
  }

  async #refresh(): Promise<void> {
    const told = await this.#strip();
    if (!told || this.#isEnded) return;
    const { shapes: strip, etag } = told;
    const before = new Map(this.#shapes.map(({ month, version }) => [month, version]));
    const changed = strip.filter(({ month, version }) => before.get(month) !== version || version === 0);
    const shown = changed.filter(({ month }) => this.months.get(month) && this.months.isNear(month));
    const fresh = await Promise.all(shown.map(({ month }) => this.months.fetch(month)));
    if (this.#isEnded) return;
    const anchor = this.anchor();
    this.#forget(changed.map(({ month }) => month).filter((month) => !this.months.isNear(month)));
    this.#forget([...before.keys()].filter((month) => !strip.some((each) => each.month === month)));
    fresh.forEach((columns) => this.months.take(columns));
    this.#place(strip, anchor);
    this.#etag = etag;
    const isUnsettled = strip.some(({ version }) => version === 0) || fresh.some(({ told }) => told.version === null);
    if (isUnsettled || shown.some(({ ratios }, at) => fresh[at]?.ids.length !== ratios.length)) this.refreshSoon(LATER);
  }

  /** The ratios; null if they are the same as those laid out. */
  async #strip(): Promise<{ readonly shapes: readonly MonthRatios[]; readonly etag: string | null } | null> {
    const params = { query: { scope: this.scope } };
    const { data, error, response } = await api.GET('/api/timeline/ratios', { params, parseAs: 'arrayBuffer' });
    if (!response.ok) throw ApiError.of(response, error);
    const etag = response.headers.get('ETag');
    if (etag !== null && etag === this.#etag) return null;
    const body = data instanceof ArrayBuffer ? data : new ArrayBuffer(); // an empty response has no body
    return { shapes: parseRatioStrip(body), etag };
  }

  /** `made` is the layout of these measures, if there is one.
   *
   * The new position is set at once, and the page is scrolled when it has grown.
   */
  #place(
    shapes: readonly MonthRatios[],
    anchor: Anchor | null,
    measures: LayoutMeasures = this.layout.measures,
    made?: TimelineLayout,
  ): void {
    if (this.#isEnded) return; // the scroller belongs to another timeline by now
    this.#shapes = shapes;
    if (!measures.width) return;
    this.layout = made?.measures === measures ? made : new TimelineLayout(shapes, measures);
    this.scroller.resize(this.layout.height);
    if (!anchor) return;
    const top = this.#topOf(anchor);
    this.scroller.aim(top);
    void tick().then(() => this.scroller.jump(top));
  }

  #topOf({ month, at, id, below }: Anchor): number {
    const { layout } = this;
    const older = layout.months.findIndex((each) => each.month <= month);
    const place = older < 0 ? layout.months.length - 1 : older;
    const isThere = layout.months[place]?.month === month;
    const known = id && isThere ? (this.months.get(month)?.ids.indexOf(id) ?? -1) : -1;
    const [start, end] = [layout.monthStarts[place] ?? 0, layout.monthStarts[place + 1] ?? 0];
    const photo = Math.max(start, Math.min(end - 1, start + (known >= 0 ? known : isThere ? at : 0)));
    return (layout.rowTops[layout.rowOf(photo)] ?? 0) - below;
  }

  #forget(months: readonly string[]): void {
    for (const month of months) this.months.drop(month);
  }

  #start(month: string): number {
    return this.layout.monthStarts[this.layout.months.findIndex((each) => each.month === month)] ?? 0;
  }

  async #wholeMonthOf(id: string): Promise<MonthColumns | undefined> {
    const known = this.#columnsOf(id);
    return known && this.months.load(known.told.month);
  }

  #columnsOf(id: string): MonthColumns | undefined {
    for (const [, columns] of this.months.held) if (columns.ids.includes(id)) return columns;
    return undefined;
  }
}

function measuresFor(width: number): LayoutMeasures {
  const isNarrow = width < 700;
  return { width, rowHeight: rowHeightFor(width), gap: GAP, heading: isNarrow ? 48 : 56, space: isNarrow ? 8 : 20 };
}
