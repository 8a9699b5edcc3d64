/** Upload queue shared by tabs: run in one, shown in all. */
import { onlineStatus } from '../../live/onlineStatus.svelte';
import { toasts } from '../../ui/toasts.svelte';
import { systemClock } from './clock';
import { QueueDatabase } from './queueDatabase';
import { newQueueItem, type UploadOptions } from './queueItem';
import { EMPTY_SNAPSHOT, type QueueSnapshot } from './queueSnapshot';
import type { QuotaLeft } from './quota';
import { runAsLeader, delay, type QueueCommand, type TabMessage } from './tabLeader';
import { UploadQueue } from './uploadQueue';
import { httpTransport, type UploadTransport } from './uploadTransport';

const UPDATE_INTERVAL = 100; // milliseconds between two snapshots
const SHARE_INTERVAL = 300; // milliseconds between two snapshots for other tabs
const SOON = 300; // milliseconds within which a tab knows whether it is the leader

/** Owner of a queue: a member or a guest. */
export interface Uploader {
  /** Name of the database and of the channel. */
  readonly name: string;
  /** Default: the transport of the signed-in user. */
  readonly transport?: UploadTransport;
  askRoom(): Promise<QuotaLeft>;
  /** The session has ended. */
  onaway(): void;
  /** Passes live events to the queue until the returned function is called. */
  follow(queue: UploadQueue): () => void;
  /** `isOurs`: the queue runs in this tab. */
  onchange(snapshot: QueueSnapshot, isOurs: boolean): void;
}

export class SharedQueue {
  snapshot = $state.raw<QueueSnapshot>(EMPTY_SNAPSHOT);
  readonly #uploader: Uploader;
  readonly #database: QueueDatabase;
  readonly #channel: BroadcastChannel;
  readonly #ending = new AbortController();
  #queue: UploadQueue | null = null;
  #started: () => void = () => undefined;
  readonly #hasStarted = new Promise<void>((works) => (this.#started = works));
  #updating: ReturnType<typeof setTimeout> | undefined;
  #sharedAt = 0;

  constructor(uploader: Uploader) {
    this.#uploader = uploader;
    this.#database = new QueueDatabase(uploader.name);
    this.#channel = new BroadcastChannel(uploader.name);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => void this.#onMessage(data));
    this.#post({ kind: 'ask' });
    void runAsLeader(this.#channel, this.#ending.signal, () => this.#lead()).catch(toasts.fail);
  }

  stop(): void {
    this.#ending.abort();
    clearTimeout(this.#updating);
    this.#channel.close();
  }

  /** If the queue runs in another tab, files reach it through the database, which outlives both tabs. */
  async add(files: readonly File[], wish: UploadOptions): Promise<void> {
    await Promise.race([this.#hasStarted, delay(SOON)]);
    if (this.#queue) return this.#queue.add(files, wish);
    for (const [at, file] of files.entries()) {
      const item = newQueueItem(file, wish, Date.now() + at / files.length);
      const isKept = await this.#database.add(item, file);
      const message: TabMessage = isKept ? { kind: 'come' } : { kind: 'come', item, file };
      this.#post(message);
      await this.#onMessage(message);
    }
  }

  do(deed: QueueCommand): void {
    if (this.#queue) void this.#execute(this.#queue, deed);
    else this.#post({ kind: 'do', deed });
  }

  /** Bytes of a file that is not sent yet. */
  file(id: string): Promise<File | undefined> {
    return (this.#queue ?? this.#database).file(id);
  }

  // -- Leader

  async #lead(): Promise<void> {
    const queue = new UploadQueue({
      kept: this.#database,
      transport: this.#uploader.transport ?? httpTransport,
      clock: systemClock,
      askRoom: () => this.#uploader.askRoom(),
      isOnline: () => onlineStatus.online,
      chance: Math.random,
      onchange: () => this.#updateSoon(),
      onaway: () => this.#uploader.onaway(),
    });
    const wake = () => queue.wake();
    const unfollow = this.#uploader.follow(queue);
    addEventListener('online', wake);
    addEventListener('offline', wake);
    this.#queue = queue;
    await queue.start();
    this.#started();
    await aborted(this.#ending.signal);
    queue.stop();
    removeEventListener('online', wake);
    removeEventListener('offline', wake);
    unfollow();
  }

  async #execute(queue: UploadQueue, deed: QueueCommand): Promise<void> {
    if ('id' in deed) await queue[deed.what](deed.id);
    else await queue[deed.what]();
  }

  #updateSoon(): void {
    this.#updating ??= setTimeout(() => {
      this.#updating = undefined;
      if (!this.#queue || this.#ending.signal.aborted) return;
      this.snapshot = this.#queue.snapshot;
      this.#uploader.onchange(this.snapshot, true);
      this.#share();
    }, UPDATE_INTERVAL);
  }

  #share(): void {
    const isOver = !this.snapshot.items.some((item) => item.state === 'sending');
    if (!isOver && Date.now() - this.#sharedAt < SHARE_INTERVAL) return;
    this.#sharedAt = Date.now();
    this.#post({ kind: 'state', snapshot: this.snapshot });
  }

  // -- Messages between tabs

  async #onMessage(message: TabMessage): Promise<void> {
    const queue = this.#queue;
    if (message.kind === 'state') return this.#show(message.snapshot);
    if (!queue) return;
    if (message.kind === 'ask') this.#post({ kind: 'state', snapshot: queue.snapshot });
    else if (message.kind === 'do') await this.#execute(queue, message.deed);
    else if (message.item && message.file) await queue.addEntries([{ item: message.item, file: message.file }]);
    else await queue.loadFromDatabase();
  }

  #show(snapshot: QueueSnapshot): void {
    if (this.#queue) return;
    this.snapshot = snapshot;
    this.#uploader.onchange(snapshot, false);
  }

  #post(message: TabMessage): void {
    if (!this.#ending.signal.aborted) this.#channel.postMessage(message);
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((end) => (signal.aborted ? end() : signal.addEventListener('abort', () => end())));
