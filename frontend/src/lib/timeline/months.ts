/** Months of a timeline with all that tiles need: asked for when they are near, and kept while there is room. */
import { SvelteMap } from 'svelte/reactivity';
import { api, told } from '../api/client';
import type { Month } from '../api/shapes';
import { marksSince } from '../photos/marking';
import { tileOfMonth, type Tile } from '../photos/tile';

/** `mine`, `community`, or the id of an album. */
export type Scope = string;

const MOST = 24_000; // photos that are kept, of some 400 bytes each
const AGAIN = 3000; // milliseconds after which what could not be loaded is asked for anew
const FRESH = 6 * 3_600_000; // milliseconds: the addresses of photos are good for a day

/** What is in a month; of the newest one, at first, only its beginning. */
export class Columns {
  readonly #favorites: ReadonlySet<string>;

  constructor(
    readonly told: Month,
    /** When it was asked for. */
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

  /** The day that the photographer's clock said, as `2025-08-14`. */
  day(at: number): string {
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(this.told.offsets[at] ?? '') ?? [];
    const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    const time = new Date(this.told.times[at] ?? '').getTime() + offset * 60_000;
    return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
  }

  without(gone: ReadonlySet<string>): Columns {
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
    return new Columns(left, this.asked);
  }

  /** `marks` tells of some photos whether they are favourites. */
  marked(marks: ReadonlyMap<string, boolean>): Columns {
    const favorites = this.ids.filter((id) => marks.get(id) ?? this.#favorites.has(id));
    return new Columns({ ...this.told, favorites }, this.asked);
  }
}

interface Asked {
  readonly answer: Promise<Columns>;
  readonly abort: AbortController;
  /** Somebody waits for it, wherever the window is. */
  isWanted: boolean;
}

export class Months {
  readonly #held = new SvelteMap<string, Columns>();
  /** When they were looked at last: the oldest first. */
  readonly #used = new Set<string>();
  readonly #asked = new Map<string, Asked>();
  #near: ReadonlySet<string> = new Set();
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly scope: Scope,
    /** What could not be loaded though it is near. */
    readonly onfail: (error: unknown) => void,
  ) {}

  /** What is known of a month by now. */
  get(month: string): Columns | undefined {
    return this.#held.get(month);
  }

  get held(): Iterable<[string, Columns]> {
    return this.#held;
  }

  isNear(month: string): boolean {
    return this.#near.has(month);
  }

  /** Loads what is near, and lets go of what is not any more. */
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

  /** Gives up what is on its way and not near, as nobody waits for it. */
  leave(near: ReadonlySet<string> = this.#near): void {
    for (const [month, { abort, isWanted }] of this.#asked) {
      if (isWanted || near.has(month)) continue;
      abort.abort();
      this.#asked.delete(month);
    }
  }

  async load(month: string): Promise<Columns> {
    const held = this.#held.get(month);
    return held?.isWhole ? held : this.#ask(month, true);
  }

  /** The beginning of the newest month, before anybody knows which months there are. Where it cannot be told, the month
   * itself will be.
   */
  async fetchNewest(): Promise<Columns | undefined> {
    const params = { query: { scope: this.scope, signed: true } };
    const asked = Date.now();
    const { data } = await api.GET('/api/timeline/latest', { params }).catch(() => ({ data: undefined }));
    return data && new Columns(data, asked);
  }

  /** With what was fetched first: it is near, until the window says what is. */
  begin(columns: Columns): void {
    this.#near = new Set([columns.told.month]);
    this.take(columns);
  }

  /** As it is now. What is shown stays as it is, until that is taken. */
  async fetch(month: string, signal: AbortSignal | null = null): Promise<Columns> {
    const params = { path: { month }, query: { scope: this.scope, signed: true } };
    const asked = Date.now();
    return new Columns(await told(api.GET('/api/timeline/{month}', { params, signal })), asked);
  }

  /** What the server told, with what was marked here meanwhile. */
  take(columns: Columns): void {
    const marks = marksSince(columns.asked);
    this.set(columns.told.month, marks.size ? columns.marked(marks) : columns);
  }

  set(month: string, columns: Columns): void {
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

  #ask(month: string, isWanted: boolean): Promise<Columns> {
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

  async #load(month: string, signal: AbortSignal): Promise<Columns> {
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
