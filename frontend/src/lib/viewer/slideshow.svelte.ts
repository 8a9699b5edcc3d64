/** Photos that turn by themselves. The screen stays on meanwhile, where the browser lets it. */
import { stayAwake } from '../ui/awake';

const STAYS = 5000;

export class Slideshow {
  isOn = $state(false);
  readonly #next: () => Promise<boolean>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rest: (() => void) | undefined;

  /** `next` tells whether there was one. */
  constructor(next: () => Promise<boolean>) {
    this.#next = next;
  }

  toggle(): void {
    if (this.isOn) this.stop();
    else {
      this.isOn = true;
      this.#rest = stayAwake();
    }
  }

  stop(): void {
    this.isOn = false;
    this.hold();
    this.#rest?.();
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
    this.#next().then(
      (went) => went || this.stop(),
      () => this.shown(), // the network is away: the one that is there stays a while longer
    );
  }
}
