/** A download that the page itself writes to a file: it tells how far it is, rests, and goes on where it was cut off.
 *
 * [Note: the same file] Each further request names what it has by `If-Range`. Where the server has something else by now
 * it sends all of it, and the file is begun anew.
 */
import { ApiError, Unreachable } from '../api/errors';
import { Pace } from '../upload/pace';
import { restAfter } from '../upload/patience';
import type { Sink } from './file';

/** `waiting`: the network is gone, or the server is busy; it goes on by itself. */
export type SavingState = 'running' | 'paused' | 'waiting' | 'done' | 'failed' | 'cancelled';

export interface World {
  readonly fetch: typeof fetch;
  /** Until so many milliseconds have passed, or the network is back. */
  readonly rest: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

const MOST_TRIES = 8; // of a server that answers, and fails: a dropped network is tried for ever

export class Saving {
  received = $state(0);
  total = $state(0);
  state = $state<SavingState>('running');
  error = $state.raw<unknown>(null);
  secondsLeft = $state<number | null>(null);
  readonly #pace = new Pace();
  #etag: string | null = null;
  #tries = 0;
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    readonly url: string,
    readonly sink: Sink,
    total: number,
    readonly world: World,
  ) {
    this.total = total;
  }

  get isOver(): boolean {
    return this.state === 'done' || this.state === 'failed' || this.state === 'cancelled';
  }

  /** Until it is there, fails, or somebody stops it. Never throws. What is being written still is waited for first. */
  run(): Promise<void> {
    const { signal } = (this.#stopping = new AbortController());
    this.state = 'running';
    return (this.#running = this.#running.then(() => this.#go(signal)));
  }

  async #go(signal: AbortSignal): Promise<void> {
    this.#pace.reset();
    while (!signal.aborted && this.state !== 'done') {
      try {
        await this.#receive(signal);
        await this.sink.close();
        this.state = 'done';
      } catch (error) {
        if (!signal.aborted) await this.#after(error, signal);
      }
    }
  }

  pause(): void {
    if (this.isOver) return;
    this.state = 'paused';
    this.secondsLeft = null;
    this.#stopping.abort();
  }

  async cancel(): Promise<void> {
    this.state = 'cancelled';
    this.#stopping.abort();
    await this.sink.abort();
  }

  async #receive(signal: AbortSignal): Promise<void> {
    const headers: HeadersInit = this.#etag ? { Range: `bytes=${this.received}-`, 'If-Range': this.#etag } : {};
    const response = await this.#ask(headers, signal);
    if (response.status !== 206) await this.#begin();
    this.#etag = response.headers.get('ETag');
    this.total = this.received + Number(response.headers.get('Content-Length'));
    this.state = 'running';
    await this.#write(response, signal);
    if (this.received < this.total) throw new Unreachable();
  }

  async #ask(headers: HeadersInit, signal: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await this.world.fetch(this.url, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
    } catch {
      throw new Unreachable();
    }
    if (response.ok) return response;
    throw ApiError.of(response, await response.json().catch(() => null));
  }

  async #begin(): Promise<void> {
    if (this.received) await this.sink.restart();
    this.received = 0;
  }

  async #write(response: Response, signal: AbortSignal): Promise<void> {
    const reader = response.body?.getReader();
    while (reader) {
      const { done, value } = await reader.read().catch(() => Promise.reject(new Unreachable()));
      if (done || signal.aborted) return;
      await this.sink.write(value);
      this.#tries = 0;
      this.received += value.length;
      this.#pace.add(value.length, this.world.now());
      this.secondsLeft = this.#pace.secondsFor(this.total - this.received, this.world.now());
    }
  }

  /** What goes by itself is tried again; of all else, the reader is told. */
  async #after(error: unknown, signal: AbortSignal): Promise<void> {
    const isBusy = error instanceof ApiError && (error.status >= 500 || error.status === 429);
    if (error instanceof Unreachable || (isBusy && this.#tries < MOST_TRIES)) {
      this.state = 'waiting';
      this.secondsLeft = null;
      await this.world.rest(restAfter(error, this.#tries++, Math.random()), signal);
      return;
    }
    [this.state, this.error] = ['failed', error];
    this.#stopping.abort();
    await this.sink.abort().catch(() => undefined); // what could not be written cannot be dropped either
  }
}

export const browser: World = {
  fetch: (...asked) => fetch(...asked),
  now: () => performance.now(),
  rest: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener('online', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      addEventListener('online', done);
      signal.addEventListener('abort', done);
    }),
};
