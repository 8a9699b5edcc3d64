/** The queue: which file goes when, and what happens when one is held up, refused or called back.
 *
 * One tab of a browser works it (`tabs.ts`). All that matters is written down before it is built upon, so that another
 * queue on the same database goes on where this one was stopped, at any moment.
 */
import type { PhotoTold } from '../live/stream';
import { Allowance } from './allowance';
import type { Clock } from './clock';
import { Developing, stateOf } from './developing';
import { isToSend, isUnfinished, newItem, type Item, type Wish } from './item';
import type { Kept } from './kept';
import { Lanes } from './lanes';
import { Pace } from './pace';
import { Unreadable } from './patience';
import { withoutRoom, type Room } from './room';
import { Roster } from './roster';
import { Setbacks } from './setbacks';
import type { Snapshot } from './snapshot';
import type { Receipt, Transport } from './transport';
import { travel } from './trip';

const FILES_AT_ONCE = 3;
const REQUESTS_AT_ONCE = 3;

export interface Surroundings {
  readonly kept: Kept;
  readonly transport: Transport;
  readonly clock: Clock;
  askRoom(): Promise<Room>;
  isOnline(): boolean;
  /** From 0 to 1. */
  chance(): number;
  onchange(): void;
  /** Nobody is signed in any more: the queue has stopped. */
  onaway(): void;
}

interface Job {
  readonly stop: AbortController;
  /** It cannot be called back any more. */
  isCompleting: boolean;
}

export class Queue {
  readonly #around: Surroundings;
  readonly #roster: Roster;
  readonly #allowance: Allowance;
  readonly #developing: Developing;
  readonly #lanes = new Lanes(REQUESTS_AT_ONCE);
  readonly #pace = new Pace();
  readonly #jobs = new Map<string, Job>();
  readonly #setbacks: Setbacks;
  #isRunning = false;

  constructor(around: Surroundings) {
    const changed = () => this.#changed();
    this.#around = around;
    this.#roster = new Roster(around.kept);
    this.#allowance = new Allowance(() => around.askRoom(), around.clock, changed);
    this.#setbacks = new Setbacks(this.#roster, this.#allowance, around, {
      onrested: changed,
      onaway: () => this.#leaveOff(),
    });
    this.#developing = new Developing(this.#roster, around.transport, around.clock, () => around.onchange());
  }

  // -- From its start to its end

  /** Goes on with what is kept. */
  async start(): Promise<void> {
    await this.#roster.load();
    await this.#roster.clearIfOver();
    if (this.#roster.all.length) await this.#allowance.refresh();
    this.#isRunning = true;
    this.#changed();
    void this.#developing.look();
  }

  stop(): void {
    this.#isRunning = false;
    this.#developing.stop();
    this.#setbacks.wakeAll();
    for (const job of this.#jobs.values()) job.stop.abort();
  }

  /** Nothing of it is waited for any longer: there is a network again. */
  wake(): void {
    this.#setbacks.wakeAll();
    this.#pace.reset();
    this.#changed();
  }

  get snapshot(): Snapshot {
    const items = this.#roster.all.filter((item) => item.state !== 'leaving');
    const over = withoutRoom(items, this.#allowance.room);
    const toGo = items.filter((item) => isToSend(item) && !item.paused && !over.has(item.id));
    const bytes = toGo.reduce((sum, item) => sum + item.size - item.sent, 0);
    const isWeak = !this.#around.isOnline() || this.#setbacks.isResting;
    return {
      items,
      over: [...over],
      room: this.#allowance.room,
      isWeak: isWeak && toGo.length > 0,
      unkept: this.#roster.unkept,
      secondsLeft: isWeak ? null : this.#pace.secondsFor(bytes, this.#around.clock.now()),
    };
  }

  /** The bytes of a file, for as long as they have not gone. */
  file(id: string): Promise<File | undefined> {
    return this.#roster.file(id);
  }

  // -- What people do

  /** Settled when all of them are written down; they go before that. */
  async add(files: readonly File[], wish: Wish): Promise<void> {
    await this.#roster.clearIfOver();
    const now = this.#around.clock.now();
    const entries = files.map((file, at) => ({ item: newItem(file, wish, now + at / files.length), file }));
    await this.bring(entries);
  }

  /** Files that another tab has taken in, and could not write down. */
  async bring(entries: readonly { item: Item; file: File }[]): Promise<void> {
    this.#roster.add(entries);
    this.#around.onchange();
    const stored = this.#roster.store(entries, () => this.#around.onchange());
    await this.#allowance.refresh();
    this.#changed();
    await stored;
  }

  /** Files that another tab has written down. */
  async come(): Promise<void> {
    await this.#roster.load();
    await this.#allowance.refresh();
    this.#changed();
  }

  async pause(id: string): Promise<void> {
    const item = this.#roster.get(id);
    if (!item || !isToSend(item) || this.#jobs.get(id)?.isCompleting) return;
    await this.#roster.change(id, { paused: true });
    this.#setbacks.wake(id);
    this.#jobs.get(id)?.stop.abort();
    this.#changed();
  }

  async resume(id: string): Promise<void> {
    await this.#roster.change(id, { paused: false });
    this.#pace.reset();
    this.#changed();
  }

  /** What is a photo by now stays one: only its line goes. */
  cancel(id: string): Promise<void> {
    const item = this.#roster.get(id);
    return this.#callBack(item ? [item] : []);
  }

  async retry(id: string): Promise<void> {
    const item = this.#roster.get(id);
    if (item?.state !== 'failed') return;
    if (!item.isPhoto) await this.#roster.change(id, { state: 'waiting', reason: null, tries: 0 });
    else await this.#makeAgain(item);
    this.#changed();
  }

  async pauseAll(): Promise<void> {
    await Promise.all(this.#roster.all.map((item) => this.pause(item.id)));
  }

  async resumeAll(): Promise<void> {
    await Promise.all(this.#roster.all.filter((item) => item.paused).map((item) => this.resume(item.id)));
  }

  cancelAll(): Promise<void> {
    return this.#callBack(this.#roster.all.filter(isToSend));
  }

  /** Only what is under way stays in the list. */
  clear(): Promise<void> {
    const { items, over } = this.snapshot;
    const none = new Set(over);
    return this.#callBack(items.filter((item) => !isToSend(item) || none.has(item.id)));
  }

  // -- What the server tells

  /** What is deleted makes room for those that wait for it. */
  async hear(told: PhotoTold): Promise<void> {
    await this.#developing.hear(told);
    if (told.gone && this.snapshot.over.length) await this.#allowance.refresh();
  }

  /** Something may have been missed. */
  async look(): Promise<void> {
    await this.#developing.look();
  }

  // -- Work

  #changed(): void {
    this.#around.onchange();
    if (!this.#isRunning || !this.#around.isOnline()) return;
    const over = withoutRoom(this.#roster.all, this.#allowance.room);
    for (const item of this.#roster.all) {
      if (this.#jobs.size >= FILES_AT_ONCE) return;
      const isReady = item.state === 'leaving' || (item.state === 'waiting' && !item.paused && !over.has(item.id));
      if (isReady && !this.#jobs.has(item.id) && !this.#setbacks.holds(item.id)) this.#begin(item);
    }
  }

  #begin(item: Item): void {
    const job: Job = { stop: new AbortController(), isCompleting: false };
    this.#jobs.set(item.id, job);
    if (item.state === 'waiting') this.#roster.touch(item.id, { state: 'sending' });
    this.#around.onchange();
    void this.#work(item.id, job).finally(() => {
      this.#jobs.delete(item.id);
      this.#changed();
    });
  }

  async #work(id: string, job: Job): Promise<void> {
    try {
      if (this.#roster.get(id)?.state === 'leaving') await this.#leave(id);
      else await this.#arrived(id, await this.#sent(id, job));
    } catch (error) {
      this.#pace.reset();
      await this.#setbacks.meet(id, error);
    }
  }

  async #sent(id: string, job: Job): Promise<Receipt> {
    const file = await this.#roster.file(id);
    if (!file) throw new Unreadable();
    return travel({
      item: () => this.#roster.get(id) as Item,
      file,
      transport: this.#around.transport,
      lanes: this.#lanes,
      signal: job.stop.signal,
      note: (changes) => this.#note(id, changes),
      progress: (sent) => this.#progress(id, sent),
      completing: () => (job.isCompleting = true),
    });
  }

  async #note(id: string, changes: Partial<Item>): Promise<void> {
    if (changes.imageId) {
      this.#allowance.take(this.#roster.get(id)?.size ?? 0);
      void this.#allowance.refresh();
    }
    await this.#roster.change(id, changes);
    this.#around.onchange();
  }

  #progress(id: string, sent: number): void {
    const before = this.#roster.get(id)?.sent ?? 0;
    if (sent <= before) return;
    this.#pace.add(sent - before, this.#around.clock.now());
    this.#roster.touch(id, { sent });
    this.#around.onchange();
  }

  async #arrived(id: string, receipt: Receipt): Promise<void> {
    const { imageId, isDuplicate, processingStatus, processingError } = receipt;
    await this.#roster.change(id, {
      imageId,
      state: isDuplicate ? 'duplicate' : stateOf(processingStatus),
      isPhoto: !isDuplicate,
      isCompleting: false,
      paused: false,
      sent: this.#roster.get(id)?.size ?? 0,
      tries: 0,
      reason: processingError ?? null,
    });
    await this.#roster.dropFile(id);
    const item = this.#roster.get(id);
    if (item) await this.#developing.begin(item);
    void this.#allowance.refresh();
  }

  /** What has a place on the server is not forgotten before that is given back. */
  async #callBack(items: readonly Item[]): Promise<void> {
    const back = items.filter((item) => !this.#jobs.get(item.id)?.isCompleting);
    const isHeld = (item: Item) => this.#jobs.has(item.id) || (item.imageId !== null && isUnfinished(item));
    for (const { id } of back) this.#setbacks.wake(id);
    await this.#roster.remove(back.filter((item) => !isHeld(item)).map((item) => item.id));
    for (const { id } of back.filter(isHeld)) {
      await this.#roster.change(id, { state: 'leaving', tries: 0 });
      this.#jobs.get(id)?.stop.abort();
      await this.#roster.dropFile(id);
    }
    this.#changed();
  }

  async #leave(id: string): Promise<void> {
    const imageId = this.#roster.get(id)?.imageId;
    if (imageId) await this.#around.transport.giveUp(imageId);
    await this.#roster.remove([id]);
    void this.#allowance.refresh();
  }

  #leaveOff(): void {
    this.stop();
    this.#around.onaway();
  }

  async #makeAgain(item: Item): Promise<void> {
    try {
      await this.#around.transport.makeAgain(item.imageId ?? '');
      await this.#roster.change(item.id, { state: 'making', reason: null });
      this.#developing.watch();
    } catch (error) {
      await this.#roster.change(item.id, { reason: error instanceof Error ? error.message : String(error) });
    }
  }
}
