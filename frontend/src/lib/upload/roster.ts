/** The files of the queue in their order, and all that is known of them: at hand here, and written through to where they
 * outlive the page.
 */
import { hasEnded, isToSend, UNREADABLE, type Item } from './item';
import type { Kept } from './kept';

/** What cannot be tidied up is in nobody's way: it is found again, and over. */
const ignore = (): void => undefined;

function outOfReach(): never {
  throw new Error(UNREADABLE);
}

export class Roster {
  readonly #kept: Kept;
  readonly #items = new Map<string, Item>();
  readonly #files = new Map<string, File>();
  readonly #stored = new Set<string>();

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  get all(): Item[] {
    return [...this.#items.values()];
  }

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  byImage(imageId: string): Item | undefined {
    return this.all.find((item) => item.imageId === imageId);
  }

  /** How many would be lost if the page were closed now. */
  get unkept(): number {
    return this.all.filter((item) => isToSend(item) && !this.#stored.has(item.id)).length;
  }

  /** What is kept and not known here yet: after a reload, or from another tab. */
  async load(): Promise<void> {
    for (const item of await this.#kept.items().catch(() => [])) {
      if (this.#items.has(item.id)) continue;
      this.#items.set(item.id, item.state === 'sending' ? { ...item, state: 'waiting' } : item);
      this.#stored.add(item.id);
    }
  }

  /** At hand at once. They are written down one after the other; what has gone before its turn need not be. */
  add(entries: readonly { item: Item; file: File }[]): void {
    for (const { item, file } of entries) {
      this.#items.set(item.id, item);
      this.#files.set(item.id, file);
    }
  }

  async store(entries: readonly { item: Item; file: File }[], onstored: () => void): Promise<void> {
    for (const { item, file } of entries) {
      const current = this.#items.get(item.id);
      if (!current || !isToSend(current)) continue;
      if (await this.#kept.add(current, file)) this.#stored.add(item.id);
      const now = this.#items.get(item.id);
      if (!now) await this.remove([item.id]);
      else if (now !== current) await this.#save(now);
      onstored();
    }
  }

  /** An error where what keeps it is out of reach: it may be back. */
  async file(id: string): Promise<File | undefined> {
    return this.#files.get(id) ?? this.#kept.file(id).catch(outOfReach);
  }

  /** Settled when it is written down. Nothing happens where there is no such item any more. */
  async change(id: string, changes: Partial<Item>): Promise<void> {
    const item = this.touch(id, changes);
    if (item) await this.#save(item);
  }

  /** The same, without writing it down: what is lost with the page, and does not matter then. */
  touch(id: string, changes: Partial<Item>): Item | undefined {
    const item = this.#items.get(id);
    const changed = item && { ...item, ...changes };
    if (changed) this.#items.set(id, changed);
    return changed;
  }

  /** The bytes are needed no more. */
  async dropFile(id: string): Promise<void> {
    this.#files.delete(id);
    await this.#kept.dropFile(id).catch(ignore);
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#items.delete(id);
      this.#files.delete(id);
    }
    if (ids.length) await this.#kept.remove(ids).catch(ignore);
  }

  /** An earlier lot that is all over makes room for the next one. What could not be sent waits for somebody to decide;
   * a photo that cannot be shown is found among one's uploads.
   */
  async clearIfOver(): Promise<void> {
    if (!this.all.every(hasEnded)) return;
    const gone = this.all.filter((item) => item.state !== 'failed' || item.isPhoto);
    await this.remove(gone.map((item) => item.id));
  }

  /** [Note: written or not] Where the disk is full, the queue goes on from memory: losing the page is worse then, and
   * the server tells duplicates. */
  async #save(item: Item): Promise<void> {
    await this.#kept.put(item).catch(() => this.#stored.delete(item.id));
  }
}
