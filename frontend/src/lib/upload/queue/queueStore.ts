/** Store of the queue's items in memory, written through to the database. */
import type { QueueDatabase } from './queueDatabase';
import { hasEnded, isToSend, UNREADABLE, type QueueItem } from './queueItem';

/** Failed deletions do no harm: the items are found again, and are done. */
const ignore = (): void => undefined;

function outOfReach(): never {
  throw new Error(UNREADABLE);
}

export class QueueStore {
  readonly #database: QueueDatabase;
  readonly #items = new Map<string, QueueItem>();
  readonly #files = new Map<string, File>();
  readonly #stored = new Set<string>();

  constructor(database: QueueDatabase) {
    this.#database = database;
  }

  get all(): QueueItem[] {
    return [...this.#items.values()];
  }

  get(id: string): QueueItem | undefined {
    return this.#items.get(id);
  }

  byImage(imageId: string): QueueItem | undefined {
    return this.all.find((item) => item.imageId === imageId);
  }

  /** Number of files that would be lost if the page were closed. */
  get unkept(): number {
    return this.all.filter((item) => isToSend(item) && !this.#stored.has(item.id)).length;
  }

  /** Loads items that are not in memory: after a reload, or from another tab. */
  async load(): Promise<void> {
    for (const item of await this.#database.items().catch(() => [])) {
      if (this.#items.has(item.id)) continue;
      this.#items.set(item.id, item.state === 'sending' ? { ...item, state: 'waiting' } : item);
      this.#stored.add(item.id);
    }
  }

  /** Adds files in memory at once. `store` writes them one after the other, except those that are sent before. */
  add(entries: readonly { item: QueueItem; file: File }[]): void {
    for (const { item, file } of entries) {
      this.#items.set(item.id, item);
      this.#files.set(item.id, file);
    }
  }

  async store(entries: readonly { item: QueueItem; file: File }[], onstored: () => void): Promise<void> {
    for (const { item, file } of entries) {
      const current = this.#items.get(item.id);
      if (!current || !isToSend(current)) continue;
      if (await this.#database.add(current, file)) this.#stored.add(item.id);
      const now = this.#items.get(item.id);
      if (!now) await this.remove([item.id]);
      else if (now !== current) await this.#save(now);
      onstored();
    }
  }

  /** Throws if the database cannot be read now. */
  async file(id: string): Promise<File | undefined> {
    return this.#files.get(id) ?? this.#database.file(id).catch(outOfReach);
  }

  /** Resolves when the change is stored. Does nothing if the item is gone. */
  async change(id: string, changes: Partial<QueueItem>): Promise<void> {
    const item = this.changeInMemory(id, changes);
    if (item) await this.#save(item);
  }

  /** Changes values that may be lost with the page. */
  changeInMemory(id: string, changes: Partial<QueueItem>): QueueItem | undefined {
    const item = this.#items.get(id);
    const changed = item && { ...item, ...changes };
    if (changed) this.#items.set(id, changed);
    return changed;
  }

  /** Deletes the bytes of a file. */
  async dropFile(id: string): Promise<void> {
    this.#files.delete(id);
    await this.#database.dropFile(id).catch(ignore);
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#items.delete(id);
      this.#files.delete(id);
    }
    if (ids.length) await this.#database.remove(ids).catch(ignore);
  }

  /** Removes the items of an earlier upload when all are done. Files that could not be sent stay until the user
   * decides; photos that cannot be shown are in the list of uploads.
   */
  async clearIfOver(): Promise<void> {
    if (!this.all.every(hasEnded)) return;
    const gone = this.all.filter((item) => item.state !== 'failed' || item.isPhoto);
    await this.remove(gone.map((item) => item.id));
  }

  /** Without space the queue goes on from memory: files may be lost with the page, but not duplicated, since the server
   * finds duplicates.
   */
  async #save(item: QueueItem): Promise<void> {
    await this.#database.put(item).catch(() => this.#stored.delete(item.id));
  }
}
