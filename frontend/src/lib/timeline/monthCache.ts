/** Cache of the timeline's months, loaded when near. Old ones are dropped when there are too many photos. */
import { SvelteMap } from 'svelte/reactivity';
import { api, unwrap } from '../api/client';
import type { Month } from '../api/types';
import { pendingFavoritesSince } from '../photos/favoriteMarks';
import { tileOfMonth, type Tile } from '../photos/tile';

/** `mine`, `community`, or the id of an album. */
export type TimelineScope = string;

const MOST = 24_000; // photos that are kept, of some 400 bytes each
const AGAIN = 3000; // milliseconds until the next try after an error
const FRESH = 6 * 3_600_000; // milliseconds: addresses of photos are valid for a day

/** Photos of a month; of the newest month, at first only the beginning. */
export class MonthColumns {
  readonly #favorites: ReadonlySet<string>;

  constructor(
    readonly told: Month,
    /** Time of the request. */
    readonly asked: number,
  ) {
    this.#favorites = new Set(told.favorites);
  }

  get ids(): readonly string[] {
    return this.told.ids;
  }

  get isWhole(): boolean {
    return this.told.ids.length >= this.told.count;
  }

  tile(at: number): Tile | undefined {
    const id = this.told.ids[at];
    return id === undefined ? undefined : tileOfMonth(this.told, at, this.#favorites.has(id));
  }

  /** Day by the photographer's clock, such as `2025-08-14`. */
  day(at: number): string {
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(this.told.offsets[at] ?? '') ?? [];
    const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    const time = new Date(this.told.times[at] ?? '').getTime() + offset * 60_000;
    return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
  }

  without(gone: ReadonlySet<string>): MonthColumns {
    const kept = this.ids.map((id) => !gone.has(id));
    const column = <T>(values: readonly T[]): T[] => values.filter((_, at) => kept[at]);
    const { told } = this;
    const ids = column(told.ids);
    const left = {
      ...told,
      count: told.count - (told.ids.length - ids.length),
      ids,
      ratios: column(told.ratios),
      thumbhashes: column(told.thumbhashes),
      times: column(told.times),
      offsets: column(told.offsets),
      kinds: column(told.kinds),
      durations: column(told.durations),
      queries: told.queries ? column(told.queries) : null,
    };
    return new MonthColumns(left, this.asked);
  }

  /** Copy with these photos marked as favorites or not. */
  marked(marks: ReadonlyMap<string, boolean>): MonthColumns {
    const favorites = this.ids.filter((id) => marks.get(id) ?? this.#favorites.has(id));
    return new MonthColumns({ ...this.told, favorites }, this.asked);
  }
}

interface Asked {
  readonly answer: Promise<MonthColumns>;
  readonly abort: AbortController;
  /** A caller waits for it, wherever the window is. */
  isWanted: boolean;
}

export class MonthCache {
  readonly #held = new SvelteMap<string, MonthColumns>();
  /** Months in the order of their last use, oldest first. */
  readonly #used = new Set<string>();
  readonly #asked = new Map<string, Asked>();
  #near: ReadonlySet<string> = new Set();
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly scope: TimelineScope,
    /** Reports months near the window that could not be loaded. */
    readonly onfail: (error: unknown) => void,
  ) {}

  /** Loaded photos of a month. */
  get(month: string): MonthColumns | undefined {
    return this.#held.get(month);
  }

  get held(): Iterable<[string, MonthColumns]> {
    return this.#held;
  }

  isNear(month: string): boolean {
    return this.#near.has(month);
  }

  /** Loads the months near the window, and cancels requests for others. */
  approach(near: readonly string[]): void {
    this.#near = new Set(near);
    this.leave();
    for (const month of near) {
      this.#touch(month);
      const held = this.#held.get(month);
      if (held?.isWhole && Date.now() - held.asked < FRESH) continue;
      this.#ask(month, false).catch((error: unknown) => isAbort(error) || this.#failed(error));
    }
  }

  /** Cancels requests for months that are not near, unless a caller waits for them. */
  leave(near: ReadonlySet<string> = this.#near): void {
    for (const [month, { abort, isWanted }] of this.#asked) {
      if (isWanted || near.has(month)) continue;
      abort.abort();
      this.#asked.delete(month);
    }
  }

  async load(month: string): Promise<MonthColumns> {
    const held = this.#held.get(month);
    return held?.isWhole ? held : this.#ask(month, true);
  }

  /** Loads the beginning of the newest month, before the list of months is known. Undefined if that fails: the month is
   * loaded later.
   */
  async fetchNewest(): Promise<MonthColumns | undefined> {
    const params = { query: { scope: this.scope, signed: true } };
    const asked = Date.now();
    const { data } = await api.GET('/api/timeline/latest', { params }).catch(() => ({ data: undefined }));
    return data && new MonthColumns(data, asked);
  }

  /** Starts with the photos that were fetched first. */
  begin(columns: MonthColumns): void {
    this.#near = new Set([columns.told.month]);
    this.take(columns);
  }

  /** Requests a month; the shown photos stay until the result is taken. */
  async fetch(month: string, signal: AbortSignal | null = null): Promise<MonthColumns> {
    const params = { path: { month }, query: { scope: this.scope, signed: true } };
    const asked = Date.now();
    return new MonthColumns(await unwrap(api.GET('/api/timeline/{month}', { params, signal })), asked);
  }

  /** Stores a response, with the favorites that were marked after its request. */
  take(columns: MonthColumns): void {
    const marks = pendingFavoritesSince(columns.asked);
    this.set(columns.told.month, marks.size ? columns.marked(marks) : columns);
  }

  set(month: string, columns: MonthColumns): void {
    this.#held.set(month, columns);
    this.#touch(month);
    this.#bound();
  }

  drop(month: string): void {
    this.#held.delete(month);
    this.#used.delete(month);
  }

  end(): void {
    clearTimeout(this.#waiting);
    for (const { abort } of this.#asked.values()) abort.abort();
  }

  #ask(month: string, isWanted: boolean): Promise<MonthColumns> {
    const known = this.#asked.get(month);
    if (known) {
      known.isWanted ||= isWanted;
      return known.answer;
    }
    const abort = new AbortController();
    const asked: Asked = { answer: this.#load(month, abort.signal), abort, isWanted };
    this.#asked.set(month, asked);
    const forget = () => void (this.#asked.get(month) === asked && this.#asked.delete(month));
    asked.answer.then(forget, forget);
    return asked.answer;
  }

  async #load(month: string, signal: AbortSignal): Promise<MonthColumns> {
    const columns = await this.fetch(month, signal);
    this.take(columns);
    return columns;
  }

  #failed(error: unknown): void {
    this.onfail(error);
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.approach([...this.#near]), AGAIN);
  }

  #touch(month: string): void {
    this.#used.delete(month);
    this.#used.add(month);
  }

  #bound(): void {
    let photos = 0;
    for (const { ids } of this.#held.values()) photos += ids.length;
    for (const month of this.#used) {
      if (photos <= MOST) return;
      const columns = this.#held.get(month);
      if (this.#near.has(month) || !columns) continue;
      photos -= columns.ids.length;
      this.drop(month);
    }
  }
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
