/** The queue of this account in this tab: worked here, or shown as the tab tells that works it. */
import { connection } from '../live/connection.svelte';
import { live } from '../live/stream';
import { session } from '../session.svelte';
import { toasts } from '../ui/toasts.svelte';
import { clock } from './clock';
import { newItem, type Wish } from './item';
import { openKept, type Kept } from './kept';
import { Queue } from './queue';
import type { Room } from './room';
import { NOTHING, type Snapshot } from './snapshot';
import { lead, type Deed, type Message } from './tabs';
import { transport } from './transport';
import { setMark } from './mark';

const OFTEN = 100; // milliseconds between two pictures of the queue
const TOLD = 300; // and two of those that other tabs are told
const SOON = 300; // within which a tab knows whether it works

export class Board {
  snapshot = $state.raw<Snapshot>(NOTHING);
  readonly #email: string;
  readonly #kept: Promise<Kept>;
  readonly #channel: BroadcastChannel;
  readonly #ending = new AbortController();
  #queue: Queue | null = null;
  #works: () => void = () => undefined;
  readonly #isWorking = new Promise<void>((works) => (this.#works = works));
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #toldAt = 0;

  constructor(email: string) {
    const name = `sparks-uploads ${email}`;
    this.#email = email;
    this.#kept = openKept(name);
    this.#channel = new BroadcastChannel(name);
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
    await Promise.race([this.#isWorking, new Promise((go) => setTimeout(go, SOON))]);
    if (this.#queue) return this.#queue.add(files, wish);
    const kept = await this.#kept;
    for (const [at, file] of files.entries()) {
      const item = newItem(file, wish, Date.now() + at / files.length);
      const isKept = await kept.add(item, file);
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
  async file(id: string): Promise<File | undefined> {
    return this.#queue ? this.#queue.file(id) : (await this.#kept).file(id);
  }

  // -- Working

  async #work(): Promise<void> {
    const queue = new Queue({
      kept: await this.#kept,
      transport,
      clock,
      askRoom,
      isOnline: () => connection.online,
      chance: Math.random,
      onchange: () => this.#draw(),
      onaway: () => session.isOver(),
    });
    const wake = () => queue.wake();
    const off = [live.on('photo', (told) => void queue.hear(told)), live.on('reset', () => void queue.look())];
    addEventListener('online', wake);
    addEventListener('offline', wake);
    this.#queue = queue;
    await queue.start();
    this.#works();
    await aborted(this.#ending.signal);
    queue.stop();
    removeEventListener('online', wake);
    removeEventListener('offline', wake);
    for (const stop of off) stop();
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
      setMark(this.#email, this.snapshot.items.length > 0);
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
    const before = this.snapshot.room?.photos;
    this.snapshot = snapshot;
    if (snapshot.room && snapshot.room.photos !== before) session.loadLimit().catch(() => undefined);
  }

  #post(message: Message): void {
    if (!this.#ending.signal.aborted) this.#channel.postMessage(message);
  }
}

/** The frame shows the same figures. */
async function askRoom(): Promise<Room> {
  await session.loadLimit();
  return { photos: session.limit?.limit ?? 0, bytes: session.limit?.bytesLeft ?? null };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((end) => (signal.aborted ? end() : signal.addEventListener('abort', () => end())));
