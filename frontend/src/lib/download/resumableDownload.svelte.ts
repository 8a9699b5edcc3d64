/** Download written by the page itself, with progress, pause and resume by range.
 *
 * Each further request names the received version by `If-Range`. If the server has another one it sends all of it, and
 * the file starts over.
 */
import { backoffDelay } from '../api/backoff';
import { ApiError, Unreachable } from '../api/errors';
import { TransferRate } from '../api/transferRate';
import type { FileSink } from './fileSink';

/** `waiting`: without a network, or the server is busy; it continues by itself. */
export type DownloadState = 'running' | 'paused' | 'waiting' | 'done' | 'failed' | 'cancelled';

export interface DownloadEnvironment {
  readonly fetch: typeof fetch;
  /** Resolves after so many milliseconds, or when the network is back. */
  readonly rest: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

const MOST_TRIES = 8; // of a server that responds with errors; network errors are retried without limit

export class ResumableDownload {
  received = $state(0);
  total = $state(0);
  state = $state<DownloadState>('running');
  error = $state.raw<unknown>(null);
  secondsLeft = $state<number | null>(null);
  readonly #pace = new TransferRate();
  #etag: string | null = null;
  #tries = 0;
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    readonly url: string,
    readonly sink: FileSink,
    total: number,
    readonly world: DownloadEnvironment,
  ) {
    this.total = total;
  }

  get isOver(): boolean {
    return this.state === 'done' || this.state === 'failed' || this.state === 'cancelled';
  }

  /** Runs until the download is done, fails or is stopped. Never throws. A write under way ends first. */
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

  /** Retries network errors and a busy server; all other errors end the download. */
  async #after(error: unknown, signal: AbortSignal): Promise<void> {
    const isBusy = error instanceof ApiError && (error.status >= 500 || error.status === 429);
    if (error instanceof Unreachable || (isBusy && this.#tries < MOST_TRIES)) {
      this.state = 'waiting';
      this.secondsLeft = null;
      await this.world.rest(backoffDelay(error, this.#tries++, Math.random()), signal);
      return;
    }
    [this.state, this.error] = ['failed', error];
    this.#stopping.abort();
    await this.sink.abort().catch(() => undefined); // a file that could not be written cannot be dropped either
  }
}

export const browserEnvironment: DownloadEnvironment = {
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
