/** Photos that turn by themselves. The screen stays on meanwhile, where the browser lets it. */

const STAYS = 5000;

export class Slideshow {
  isOn = $state(false);
  readonly #next: () => Promise<boolean>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lock: WakeLockSentinel | null = null;

  /** `next` tells whether there was one. */
  constructor(next: () => Promise<boolean>) {
    this.#next = next;
  }

  toggle(): void {
    if (this.isOn) this.stop();
    else {
      this.isOn = true;
      void this.#stayAwake();
    }
  }

  stop(): void {
    this.isOn = false;
    this.hold();
    void this.#lock?.release().catch(() => undefined);
    this.#lock = null;
  }

  /** A picture is to be seen: its time runs from now on. */
  shown(): void {
    if (!this.isOn) return;
    this.hold();
    this.#timer = setTimeout(() => this.turn(), STAYS);
  }

  /** A film is on: it is over when it says so. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  turn(): void {
    if (!this.isOn) return;
    void this.#next().then((went) => went || this.stop());
  }

  /** Not every browser has it, and one that saves its battery refuses. */
  async #stayAwake(): Promise<void> {
    try {
      this.#lock = (await navigator.wakeLock?.request('screen')) ?? null;
    } catch {
      this.#lock = null;
    }
    if (!this.isOn) void this.#lock?.release().catch(() => undefined);
  }
}
