/** What is left of the limit, as the server told last; asked for again when it has changed, and not too often. */
import type { Clock } from './clock';
import { lessRoom, type Room } from './room';

const PAUSE = 1000; // milliseconds from one answer to the next question

export class Allowance {
  room: Room | null = null;
  readonly #ask: () => Promise<Room>;
  readonly #clock: Clock;
  readonly #onchange: () => void;
  #asking: Promise<void> | null = null;
  #isStale = false;
  #taken = 0;

  constructor(ask: () => Promise<Room>, clock: Clock, onchange: () => void) {
    this.#ask = ask;
    this.#clock = clock;
    this.#onchange = onchange;
  }

  /** Settled when it is known, or cannot be: then nothing is held back, and the server decides. */
  refresh(): Promise<void> {
    if (this.#asking) this.#isStale = true;
    return (this.#asking ??= this.#learn());
  }

  /** A place was taken: the server counts it from now on. */
  take(size: number): void {
    this.#taken += 1;
    this.room = lessRoom(this.room, size);
  }

  /** What was told along with a refusal. */
  told(room: Room): void {
    this.#taken += 1;
    this.room = room;
  }

  async #learn(): Promise<void> {
    const taken = this.#taken;
    this.#isStale = false;
    try {
      const room = await this.#ask();
      if (taken === this.#taken) this.room = room;
      else this.#isStale = true; // an answer from before a place was taken
    } catch {
      // whoever cannot be asked is asked again with the next change
    }
    this.#onchange();
    this.#clock.after(PAUSE, () => {
      this.#asking = null;
      if (this.#isStale) void this.refresh();
    });
  }
}
