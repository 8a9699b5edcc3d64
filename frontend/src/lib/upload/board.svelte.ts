/** The queue of this account, or guest, in this tab: worked here, or shown as the tab tells that works it. */
import { connection } from '../live/connection.svelte';
import { toasts } from '../ui/toasts.svelte';
import { clock } from './clock';
import { newItem, type Wish } from './item';
import { Kept } from './kept';
import { Queue } from './queue';
import type { Room } from './room';
import { NOTHING, type Snapshot } from './snapshot';
import { lead, passed, type Deed, type Message } from './tabs';
import { transport, type Transport } from './transport';

const OFTEN = 100; // milliseconds between two pictures of the queue
const TOLD = 300; // and two of those that other tabs are told
const SOON = 300; // within which a tab knows whether it works

/** Whose queue it is. */
export interface Uploader {
  /** What it is kept under in this browser. */
  readonly name: string;
  /** The server as it is for them. */
  readonly transport?: Transport;
  askRoom(): Promise<Room>;
  /** Nobody is let in any more. */
  onaway(): void;
  /** The queue is worked here: tells it what happens, until what is returned is called. */
  follow(queue: Queue): () => void;
  /** It looks like this now; `isOurs` where it is worked here. */
  onchange(snapshot: Snapshot, isOurs: boolean): void;
}

export class Board {
  snapshot = $state.raw<Snapshot>(NOTHING);
  readonly #uploader: Uploader;
  readonly #kept: Kept;
  readonly #channel: BroadcastChannel;
  readonly #ending = new AbortController();
  #queue: Queue | null = null;
  #works: () => void = () => undefined;
  readonly #isWorking = new Promise<void>((works) => (this.#works = works));
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #toldAt = 0;

  constructor(uploader: Uploader) {
    this.#uploader = uploader;
    this.#kept = new Kept(uploader.name);
    this.#channel = new BroadcastChannel(uploader.name);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => void this.#hear(data));
    this.#post({ kind: 'ask' });
    void lead(this.#channel, this.#ending.signal, () => this.#work()).catch(toasts.fail);
  }

  stop(): void {
    this.#ending.abort();
    clearTimeout(this.#drawing);
    this.#channel.close();
  }

  /** Wherever it is worked, it goes there by the database, which outlives both tabs. */
  async add(files: readonly File[], wish: Wish): Promise<void> {
    await Promise.race([this.#isWorking, passed(SOON)]);
    if (this.#queue) return this.#queue.add(files, wish);
    for (const [at, file] of files.entries()) {
      const item = newItem(file, wish, Date.now() + at / files.length);
      const isKept = await this.#kept.add(item, file);
      const message: Message = isKept ? { kind: 'come' } : { kind: 'come', item, file };
      this.#post(message);
      await this.#hear(message);
    }
  }

  do(deed: Deed): void {
    if (this.#queue) void this.#obey(this.#queue, deed);
    else this.#post({ kind: 'do', deed });
  }

  /** The bytes of a file, for as long as they have not gone. */
  file(id: string): Promise<File | undefined> {
    return (this.#queue ?? this.#kept).file(id);
  }

  // -- Working

  async #work(): Promise<void> {
    const queue = new Queue({
      kept: this.#kept,
      transport: this.#uploader.transport ?? transport,
      clock,
      askRoom: () => this.#uploader.askRoom(),
      isOnline: () => connection.online,
      chance: Math.random,
      onchange: () => this.#draw(),
      onaway: () => this.#uploader.onaway(),
    });
    const wake = () => queue.wake();
    const unfollow = this.#uploader.follow(queue);
    addEventListener('online', wake);
    addEventListener('offline', wake);
    this.#queue = queue;
    await queue.start();
    this.#works();
    await aborted(this.#ending.signal);
    queue.stop();
    removeEventListener('online', wake);
    removeEventListener('offline', wake);
    unfollow();
  }

  async #obey(queue: Queue, deed: Deed): Promise<void> {
    if ('id' in deed) await queue[deed.what](deed.id);
    else await queue[deed.what]();
  }

  #draw(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      if (!this.#queue || this.#ending.signal.aborted) return;
      this.snapshot = this.#queue.snapshot;
      this.#uploader.onchange(this.snapshot, true);
      this.#tell();
    }, OFTEN);
  }

  #tell(): void {
    const isOver = !this.snapshot.items.some((item) => item.state === 'sending');
    if (!isOver && Date.now() - this.#toldAt < TOLD) return;
    this.#toldAt = Date.now();
    this.#post({ kind: 'state', snapshot: this.snapshot });
  }

  // -- Between tabs

  async #hear(message: Message): Promise<void> {
    const queue = this.#queue;
    if (message.kind === 'state') return this.#show(message.snapshot);
    if (!queue) return;
    if (message.kind === 'ask') this.#post({ kind: 'state', snapshot: queue.snapshot });
    else if (message.kind === 'do') await this.#obey(queue, message.deed);
    else if (message.item && message.file) await queue.bring([{ item: message.item, file: message.file }]);
    else await queue.come();
  }

  #show(snapshot: Snapshot): void {
    if (this.#queue) return;
    this.snapshot = snapshot;
    this.#uploader.onchange(snapshot, false);
  }

  #post(message: Message): void {
    if (!this.#ending.signal.aborted) this.#channel.postMessage(message);
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((end) => (signal.aborted ? end() : signal.addEventListener('abort', () => end())));
