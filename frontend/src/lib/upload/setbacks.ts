/** What went wrong with a file, and what follows from it: it rests and goes again, waits for room, or ends here. */
import { ApiError } from '../api/errors';
import type { Allowance } from './allowance';
import type { Clock } from './clock';
import type { Item } from './item';
import { oneMore, restAfter, verdictOn, type Verdict } from './patience';
import { withoutRoom, type Room } from './room';
import type { Roster } from './roster';

interface Fortune {
  readonly clock: Clock;
  /** From 0 to 1. */
  chance(): number;
}

interface Hooks {
  /** One has rested, and may go. */
  onrested(): void;
  /** Nobody is signed in any more. */
  onaway(): void;
}

export class Setbacks {
  readonly #roster: Roster;
  readonly #allowance: Allowance;
  readonly #fortune: Fortune;
  readonly #hooks: Hooks;
  readonly #resting = new Map<string, () => void>();

  constructor(roster: Roster, allowance: Allowance, fortune: Fortune, hooks: Hooks) {
    this.#roster = roster;
    this.#allowance = allowance;
    this.#fortune = fortune;
    this.#hooks = hooks;
  }

  get isResting(): boolean {
    return this.#resting.size > 0;
  }

  /** Whether it rests still. */
  holds(id: string): boolean {
    return this.#resting.has(id);
  }

  wake(id: string): void {
    this.#resting.get(id)?.();
    this.#resting.delete(id);
  }

  wakeAll(): void {
    for (const id of [...this.#resting.keys()]) this.wake(id);
  }

  async meet(id: string, error: unknown): Promise<void> {
    const item = this.#roster.get(id);
    if (!item) return;
    const verdict = verdictOn(error, item.tries);
    if (item.state === 'leaving') return this.#failedToLeave(item, error, verdict);
    switch (verdict) {
      case 'stopped':
        return this.#roster.change(id, { state: 'waiting' });
      case 'again':
        return this.#rest(item, error, {});
      case 'lost':
        return this.#rest(item, error, { imageId: null, isCompleting: false, sent: 0 });
      case 'full':
        return this.#full(item, error as ApiError);
      case 'away':
        await this.#roster.change(id, { state: 'waiting' });
        return this.#hooks.onaway();
      default:
        return this.#end(item, verdict, error);
    }
  }

  /** `stopped` is what it was called back from: giving it up comes next. */
  async #failedToLeave(item: Item, error: unknown, verdict: Verdict): Promise<void> {
    if (verdict === 'again') await this.#rest(item, error, { state: 'leaving' });
    else if (verdict !== 'stopped') await this.#roster.remove([item.id]);
  }

  async #rest(item: Item, error: unknown, changes: Partial<Item>): Promise<void> {
    const wait = restAfter(error, item.tries, this.#fortune.chance());
    const stop = this.#fortune.clock.after(wait, () => {
      this.#resting.delete(item.id);
      this.#hooks.onrested();
    });
    this.#resting.set(item.id, stop);
    await this.#roster.change(item.id, { state: 'waiting', tries: oneMore(error, item.tries), ...changes });
  }

  /** It waits until there is room; where there should be, somebody else was faster, and it is tried again. */
  async #full(item: Item, error: ApiError): Promise<void> {
    this.#allowance.told(roomIn(error));
    await this.#roster.change(item.id, { state: 'waiting', sent: 0 });
    if (!withoutRoom(this.#roster.all, this.#allowance.room).has(item.id)) await this.#rest(item, error, {});
  }

  async #end(item: Item, state: 'refused' | 'failed', error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof ApiError ? error.code : null;
    const isGone = state === 'refused' || (error instanceof ApiError && error.code === 'DAMAGED');
    await this.#roster.change(item.id, { state, reason, code, isCompleting: false, ...(isGone && { imageId: null }) });
    if (state === 'refused') await this.#roster.dropFile(item.id);
    void this.#allowance.refresh();
  }
}

function roomIn({ body }: ApiError): Room {
  return { photos: Number(body['photosLeft'] ?? 0), bytes: (body['bytesLeft'] as number | null) ?? null };
}
