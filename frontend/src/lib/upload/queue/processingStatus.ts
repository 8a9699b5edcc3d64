/** Processing state of uploaded photos, from events and polling. */
import { ApiError } from '../../api/errors';
import type { PhotoEvent } from '../../live/liveEvents';
import type { Clock } from './clock';
import type { QueueItem, ItemState } from './queueItem';
import type { QueueStore } from './queueStore';
import type { UploadResult, UploadTransport } from './uploadTransport';

const AGAIN = 20_000; // milliseconds
const STATES: Readonly<Record<string, ItemState>> = { completed: 'done', failed: 'failed' };

type Processing = Pick<UploadResult, 'processingStatus' | 'processingError'>;

/** Item state of a processing status. */
export const itemStateOf = (status: string | undefined): ItemState => STATES[status ?? ''] ?? 'making';

export class ProcessingStatus {
  readonly #store: QueueStore;
  readonly #transport: UploadTransport;
  readonly #clock: Clock;
  readonly #onchange: () => void;
  /** Events of photos whose completion has not been confirmed yet. */
  readonly #early = new Map<string, PhotoEvent>();
  #stopWaiting: (() => void) | null = null;

  constructor(store: QueueStore, transport: UploadTransport, clock: Clock, onchange: () => void) {
    this.#store = store;
    this.#transport = transport;
    this.#clock = clock;
    this.#onchange = onchange;
  }

  async onPhotoEvent(event: PhotoEvent): Promise<void> {
    const item = this.#store.byImage(event.imageId);
    if (!item) return;
    if (!item.isPhoto && item.state !== 'duplicate') this.#early.set(event.imageId, event);
    else if (event.gone) await this.#store.remove([item.id]);
    else if (item.isPhoto) await this.#apply(item, event);
    this.#onchange();
  }

  /** A photo was completed: applies the event that came before. */
  async begin(item: QueueItem): Promise<void> {
    const event = this.#early.get(item.imageId ?? '');
    this.#early.delete(item.imageId ?? '');
    if (event) await this.onPhotoEvent(event);
    this.watch();
  }

  /** Requests the status of all photos in processing, after events may have been missed. */
  async refresh(): Promise<void> {
    const making = this.#store.all.filter((item) => item.state === 'making');
    for (const item of making) await this.#refreshItem(item);
    this.#onchange();
    this.watch();
  }

  /** Polls while photos are in processing. */
  watch(): void {
    if (this.#stopWaiting || !this.#store.all.some((item) => item.state === 'making')) return;
    this.#stopWaiting = this.#clock.after(AGAIN, () => {
      this.#stopWaiting = null;
      void this.refresh();
    });
  }

  stop(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
  }

  async #refreshItem(item: QueueItem): Promise<void> {
    try {
      await this.#apply(item, await this.#transport.fetchStatus(item.imageId ?? ''));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) await this.#store.remove([item.id]);
    }
  }

  #apply(item: QueueItem, { processingStatus, processingError }: Processing): Promise<void> {
    return this.#store.change(item.id, { state: itemStateOf(processingStatus), reason: processingError ?? null });
  }
}
