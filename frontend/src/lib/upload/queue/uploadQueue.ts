/** Upload queue: starts, pauses, retries and cancels files.
 *
 * It runs in one tab of a browser (`tabLeader.ts`). Every step is stored before the next, so that another queue on the
 * same database continues at any moment.
 */
import { TransferRate } from '../../api/transferRate';
import type { PhotoEvent } from '../../live/liveEvents';
import type { Clock } from './clock';
import { ConcurrencyLimit } from './concurrency';
import { UnreadableFile } from './failures';
import { uploadFile } from './fileUpload';
import { ProcessingStatus, itemStateOf } from './processingStatus';
import type { QueueDatabase } from './queueDatabase';
import { isToSend, isUnfinished, newQueueItem, type QueueItem, type UploadOptions } from './queueItem';
import type { QueueSnapshot } from './queueSnapshot';
import { QueueStore } from './queueStore';
import { UploadQuota, itemsOverQuota, type QuotaLeft } from './quota';
import { Retries } from './retries';
import type { UploadResult, UploadTransport } from './uploadTransport';

const FILES_AT_ONCE = 3;
const REQUESTS_AT_ONCE = 3;

export interface QueueEnvironment {
  readonly kept: QueueDatabase;
  readonly transport: UploadTransport;
  readonly clock: Clock;
  askRoom(): Promise<QuotaLeft>;
  isOnline(): boolean;
  /** From 0 to 1. */
  chance(): number;
  onchange(): void;
  /** The session has ended, and the queue has stopped. */
  onaway(): void;
}

interface RunningUpload {
  readonly stop: AbortController;
  /** It cannot be cancelled any more. */
  isCompleting: boolean;
}

export class UploadQueue {
  readonly #environment: QueueEnvironment;
  readonly #store: QueueStore;
  readonly #quota: UploadQuota;
  readonly #processing: ProcessingStatus;
  readonly #requests = new ConcurrencyLimit(REQUESTS_AT_ONCE);
  readonly #rate = new TransferRate();
  readonly #running = new Map<string, RunningUpload>();
  readonly #retries: Retries;
  #isRunning = false;

  constructor(environment: QueueEnvironment) {
    const changed = () => this.#changed();
    this.#environment = environment;
    this.#store = new QueueStore(environment.kept);
    this.#quota = new UploadQuota(() => environment.askRoom(), environment.clock, changed);
    this.#retries = new Retries(this.#store, this.#quota, environment, {
      onready: changed,
      onaway: () => this.#endSession(),
    });
    this.#processing = new ProcessingStatus(this.#store, environment.transport, environment.clock, () =>
      environment.onchange(),
    );
  }

  // -- Start and stop

  /** Continues with the stored items. */
  async start(): Promise<void> {
    await this.#store.load();
    await this.#store.clearIfOver();
    if (this.#store.all.length) await this.#quota.refresh();
    this.#isRunning = true;
    this.#changed();
    void this.#processing.refresh();
  }

  stop(): void {
    this.#isRunning = false;
    this.#processing.stop();
    this.#retries.wakeAll();
    for (const upload of this.#running.values()) upload.stop.abort();
  }

  /** Ends all delays: the network is back. */
  wake(): void {
    this.#retries.wakeAll();
    this.#rate.reset();
    this.#changed();
  }

  get snapshot(): QueueSnapshot {
    const items = this.#store.all.filter((item) => item.state !== 'leaving');
    const over = itemsOverQuota(items, this.#quota.room);
    const toGo = items.filter((item) => isToSend(item) && !item.paused && !over.has(item.id));
    const bytes = toGo.reduce((sum, item) => sum + item.size - item.sent, 0);
    const isWeak = !this.#environment.isOnline() || this.#retries.isWaiting;
    return {
      items,
      over: [...over],
      room: this.#quota.room,
      isWeak: isWeak && toGo.length > 0,
      unkept: this.#store.unkept,
      secondsLeft: isWeak ? null : this.#rate.secondsFor(bytes, this.#environment.clock.now()),
    };
  }

  /** Bytes of a file that is not sent yet. */
  file(id: string): Promise<File | undefined> {
    return this.#store.file(id);
  }

  // -- Commands of the user

  /** Resolves when all files are stored; uploads start before. */
  async add(files: readonly File[], options: UploadOptions): Promise<void> {
    await this.#store.clearIfOver();
    const now = this.#environment.clock.now();
    const entries = files.map((file, at) => ({ item: newQueueItem(file, options, now + at / files.length), file }));
    await this.addEntries(entries);
  }

  /** Adds files that another tab could not store. */
  async addEntries(entries: readonly { item: QueueItem; file: File }[]): Promise<void> {
    this.#store.add(entries);
    this.#environment.onchange();
    const stored = this.#store.store(entries, () => this.#environment.onchange());
    await this.#quota.refresh();
    this.#changed();
    await stored;
  }

  /** Adds files that another tab has stored. */
  async loadFromDatabase(): Promise<void> {
    await this.#store.load();
    await this.#quota.refresh();
    this.#changed();
  }

  async pause(id: string): Promise<void> {
    const item = this.#store.get(id);
    if (!item || !isToSend(item) || this.#running.get(id)?.isCompleting) return;
    await this.#store.change(id, { paused: true });
    this.#retries.wake(id);
    this.#running.get(id)?.stop.abort();
    this.#changed();
  }

  async resume(id: string): Promise<void> {
    await this.#store.change(id, { paused: false });
    this.#rate.reset();
    this.#changed();
  }

  /** A photo that exists stays: only its row is removed. */
  cancel(id: string): Promise<void> {
    const item = this.#store.get(id);
    return this.#cancelItems(item ? [item] : []);
  }

  async retry(id: string): Promise<void> {
    const item = this.#store.get(id);
    if (item?.state !== 'failed') return;
    if (!item.isPhoto) await this.#store.change(id, { state: 'waiting', reason: null, tries: 0 });
    else await this.#reprocess(item);
    this.#changed();
  }

  async pauseAll(): Promise<void> {
    await Promise.all(this.#store.all.map((item) => this.pause(item.id)));
  }

  async resumeAll(): Promise<void> {
    await Promise.all(this.#store.all.filter((item) => item.paused).map((item) => this.resume(item.id)));
  }

  cancelAll(): Promise<void> {
    return this.#cancelItems(this.#store.all.filter(isToSend));
  }

  /** Removes all files that are not under way. */
  clear(): Promise<void> {
    const { items, over } = this.snapshot;
    const none = new Set(over);
    return this.#cancelItems(items.filter((item) => !isToSend(item) || none.has(item.id)));
  }

  // -- Live events

  /** A deleted photo frees quota for waiting files. */
  async onPhotoEvent(event: PhotoEvent): Promise<void> {
    await this.#processing.onPhotoEvent(event);
    if (event.gone && this.snapshot.over.length) await this.#quota.refresh();
  }

  /** Some events may have been missed. */
  async refreshProcessing(): Promise<void> {
    await this.#processing.refresh();
  }

  // -- Work

  #changed(): void {
    this.#environment.onchange();
    if (!this.#isRunning || !this.#environment.isOnline()) return;
    const over = itemsOverQuota(this.#store.all, this.#quota.room);
    for (const item of this.#store.all) {
      if (this.#running.size >= FILES_AT_ONCE) return;
      const isReady = item.state === 'leaving' || (item.state === 'waiting' && !item.paused && !over.has(item.id));
      if (isReady && !this.#running.has(item.id) && !this.#retries.isDelayed(item.id)) this.#begin(item);
    }
  }

  #begin(item: QueueItem): void {
    const upload: RunningUpload = { stop: new AbortController(), isCompleting: false };
    this.#running.set(item.id, upload);
    if (item.state === 'waiting') this.#store.changeInMemory(item.id, { state: 'sending' });
    this.#environment.onchange();
    void this.#run(item.id, upload).finally(() => {
      this.#running.delete(item.id);
      this.#changed();
    });
  }

  async #run(id: string, upload: RunningUpload): Promise<void> {
    try {
      if (this.#store.get(id)?.state === 'leaving') await this.#dropReservation(id);
      else await this.#finish(id, await this.#upload(id, upload));
    } catch (error) {
      this.#rate.reset();
      await this.#retries.handleFailure(id, error);
    }
  }

  async #upload(id: string, upload: RunningUpload): Promise<UploadResult> {
    const file = await this.#store.file(id);
    if (!file) throw new UnreadableFile();
    return uploadFile({
      item: () => this.#store.get(id) as QueueItem,
      file,
      transport: this.#environment.transport,
      lanes: this.#requests,
      signal: upload.stop.signal,
      note: (changes) => this.#note(id, changes),
      progress: (sent) => this.#progress(id, sent),
      completing: () => (upload.isCompleting = true),
    });
  }

  async #note(id: string, changes: Partial<QueueItem>): Promise<void> {
    if (changes.imageId) {
      this.#quota.take(this.#store.get(id)?.size ?? 0);
      void this.#quota.refresh();
    }
    await this.#store.change(id, changes);
    this.#environment.onchange();
  }

  #progress(id: string, sent: number): void {
    const before = this.#store.get(id)?.sent ?? 0;
    if (sent <= before) return;
    this.#rate.add(sent - before, this.#environment.clock.now());
    this.#store.changeInMemory(id, { sent });
    this.#environment.onchange();
  }

  async #finish(id: string, result: UploadResult): Promise<void> {
    const { imageId, isDuplicate, processingStatus, processingError } = result;
    await this.#store.change(id, {
      imageId,
      state: isDuplicate ? 'duplicate' : itemStateOf(processingStatus),
      isPhoto: !isDuplicate,
      isCompleting: false,
      paused: false,
      sent: this.#store.get(id)?.size ?? 0,
      tries: 0,
      reason: processingError ?? null,
    });
    await this.#store.dropFile(id);
    const item = this.#store.get(id);
    if (item) await this.#processing.begin(item);
    void this.#quota.refresh();
  }

  /** Cancels files. Those with a reservation stay until it is dropped on the server. */
  async #cancelItems(items: readonly QueueItem[]): Promise<void> {
    const back = items.filter((item) => !this.#running.get(item.id)?.isCompleting);
    const isHeld = (item: QueueItem) => this.#running.has(item.id) || (item.imageId !== null && isUnfinished(item));
    for (const { id } of back) this.#retries.wake(id);
    await this.#store.remove(back.filter((item) => !isHeld(item)).map((item) => item.id));
    for (const { id } of back.filter(isHeld)) {
      await this.#store.change(id, { state: 'leaving', tries: 0 });
      this.#running.get(id)?.stop.abort();
      await this.#store.dropFile(id);
    }
    this.#changed();
  }

  async #dropReservation(id: string): Promise<void> {
    const imageId = this.#store.get(id)?.imageId;
    if (imageId) await this.#environment.transport.cancel(imageId);
    await this.#store.remove([id]);
    void this.#quota.refresh();
  }

  #endSession(): void {
    this.stop();
    this.#environment.onaway();
  }

  async #reprocess(item: QueueItem): Promise<void> {
    try {
      await this.#environment.transport.reprocess(item.imageId ?? '');
      await this.#store.change(item.id, { state: 'making', reason: null });
      this.#processing.watch();
    } catch (error) {
      await this.#store.change(item.id, { reason: error instanceof Error ? error.message : String(error) });
    }
  }
}
