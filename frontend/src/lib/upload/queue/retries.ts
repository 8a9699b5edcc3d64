/** Consequence of a failed upload: retry later, wait for quota, or end. */
import { backoffDelay } from '../../api/backoff';
import { ApiError } from '../../api/errors';
import type { Clock } from './clock';
import { countTry, classifyFailure, type FailureKind } from './failures';
import type { QueueItem } from './queueItem';
import type { QueueStore } from './queueStore';
import { type UploadQuota, itemsOverQuota, type QuotaLeft } from './quota';

interface RetryEnvironment {
  readonly clock: Clock;
  /** From 0 to 1. */
  chance(): number;
}

interface Hooks {
  /** The delay of a file is over. */
  onready(): void;
  /** No user is signed in any more. */
  onaway(): void;
}

export class Retries {
  readonly #store: QueueStore;
  readonly #quota: UploadQuota;
  readonly #environment: RetryEnvironment;
  readonly #hooks: Hooks;
  readonly #waiting = new Map<string, () => void>();

  constructor(store: QueueStore, quota: UploadQuota, environment: RetryEnvironment, hooks: Hooks) {
    this.#store = store;
    this.#quota = quota;
    this.#environment = environment;
    this.#hooks = hooks;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether a file waits for its next try. */
  isDelayed(id: string): boolean {
    return this.#waiting.has(id);
  }

  wake(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  wakeAll(): void {
    for (const id of [...this.#waiting.keys()]) this.wake(id);
  }

  async handleFailure(id: string, error: unknown): Promise<void> {
    const item = this.#store.get(id);
    if (!item) return;
    const kind = classifyFailure(error, item.tries);
    if (item.state === 'leaving') return this.#onCancelFailure(item, error, kind);
    switch (kind) {
      case 'stopped':
        return this.#store.change(id, { state: 'waiting' });
      case 'again':
        return this.#retryLater(item, error, {});
      case 'lost':
        return this.#retryLater(item, error, { imageId: null, isCompleting: false, sent: 0 });
      case 'full':
        return this.#waitForQuota(item, error as ApiError);
      case 'away':
        await this.#store.change(id, { state: 'waiting' });
        return this.#hooks.onaway();
      default:
        return this.#giveUp(item, kind, error);
    }
  }

  /** `stopped`: the upload was cancelled, and its reservation is dropped next. */
  async #onCancelFailure(item: QueueItem, error: unknown, kind: FailureKind): Promise<void> {
    if (kind === 'again') await this.#retryLater(item, error, { state: 'leaving' });
    else if (kind !== 'stopped') await this.#store.remove([item.id]);
  }

  async #retryLater(item: QueueItem, error: unknown, changes: Partial<QueueItem>): Promise<void> {
    const wait = backoffDelay(error, item.tries, this.#environment.chance());
    const stop = this.#environment.clock.after(wait, () => {
      this.#waiting.delete(item.id);
      this.#hooks.onready();
    });
    this.#waiting.set(item.id, stop);
    await this.#store.change(item.id, { state: 'waiting', tries: countTry(error, item.tries), ...changes });
  }

  /** Waits for more quota; if the quota seems enough, another upload took it, and it is retried. */
  async #waitForQuota(item: QueueItem, error: ApiError): Promise<void> {
    this.#quota.setQuota(quotaIn(error));
    await this.#store.change(item.id, { state: 'waiting', sent: 0 });
    if (!itemsOverQuota(this.#store.all, this.#quota.room).has(item.id)) await this.#retryLater(item, error, {});
  }

  async #giveUp(item: QueueItem, state: 'refused' | 'failed', error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof ApiError ? error.code : null;
    const isGone = state === 'refused' || (error instanceof ApiError && error.code === 'DAMAGED');
    await this.#store.change(item.id, { state, reason, code, isCompleting: false, ...(isGone && { imageId: null }) });
    if (state === 'refused') await this.#store.dropFile(item.id);
    void this.#quota.refresh();
  }
}

function quotaIn({ body }: ApiError): QuotaLeft {
  return { photos: Number(body['photosLeft'] ?? 0), bytes: (body['bytesLeft'] as number | null) ?? null };
}
