/** What the server makes of the photos that have arrived: told live, and asked for where that may have been missed. */
import { ApiError } from '../api/errors';
import type { PhotoTold } from '../live/stream';
import type { Clock } from './clock';
import type { Item, State } from './item';
import type { Roster } from './roster';
import type { Receipt, Transport } from './transport';

const AGAIN = 20_000; // milliseconds
const STATES: Readonly<Record<string, State>> = { completed: 'done', failed: 'failed' };

type Made = Pick<Receipt, 'processingStatus' | 'processingError'>;

/** As the server calls it, a state of ours. */
export const stateOf = (status: string | undefined): State => STATES[status ?? ''] ?? 'making';

export class Developing {
  readonly #roster: Roster;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #onchange: () => void;
  /** Of photos whose completion we have not heard the answer of. */
  readonly #early = new Map<string, PhotoTold>();
  #stopWaiting: (() => void) | null = null;

  constructor(roster: Roster, transport: Transport, clock: Clock, onchange: () => void) {
    this.#roster = roster;
    this.#transport = transport;
    this.#clock = clock;
    this.#onchange = onchange;
  }

  async hear(told: PhotoTold): Promise<void> {
    const item = this.#roster.byImage(told.imageId);
    if (!item) return;
    if (!item.isPhoto && item.state !== 'duplicate') this.#early.set(told.imageId, told);
    else if (told.gone) await this.#roster.remove([item.id]);
    else if (item.isPhoto) await this.#apply(item, told);
    this.#onchange();
  }

  /** A photo has arrived: what was heard of it meanwhile counts. */
  async begin(item: Item): Promise<void> {
    const told = this.#early.get(item.imageId ?? '');
    this.#early.delete(item.imageId ?? '');
    if (told) await this.hear(told);
    this.watch();
  }

  /** All that may have been missed. */
  async look(): Promise<void> {
    const making = this.#roster.all.filter((item) => item.state === 'making');
    for (const item of making) await this.#lookAt(item);
    this.#onchange();
    this.watch();
  }

  /** While something is being made, it is looked at now and then. */
  watch(): void {
    if (this.#stopWaiting || !this.#roster.all.some((item) => item.state === 'making')) return;
    this.#stopWaiting = this.#clock.after(AGAIN, () => {
      this.#stopWaiting = null;
      void this.look();
    });
  }

  stop(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
  }

  async #lookAt(item: Item): Promise<void> {
    try {
      await this.#apply(item, await this.#transport.look(item.imageId ?? ''));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) await this.#roster.remove([item.id]);
    }
  }

  #apply(item: Item, { processingStatus, processingError }: Made): Promise<void> {
    return this.#roster.change(item.id, { state: stateOf(processingStatus), reason: processingError ?? null });
  }
}
