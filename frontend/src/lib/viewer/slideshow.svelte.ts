/** Slideshow: next photo by timer, screen kept on. */
import { keepScreenOn } from '../ui/wakeLock';

const STAYS = 5000;

export class Slideshow {
  isOn = $state(false);
  readonly #next: () => Promise<boolean>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rest: (() => void) | undefined;

  /** `next` resolves to whether there was one. */
  constructor(next: () => Promise<boolean>) {
    this.#next = next;
  }

  toggle(): void {
    if (this.isOn) this.stop();
    else {
      this.isOn = true;
      this.#rest = keepScreenOn();
    }
  }

  stop(): void {
    this.isOn = false;
    this.hold();
    this.#rest?.();
  }

  /** A picture is shown: its time starts. */
  shown(): void {
    if (!this.isOn) return;
    this.hold();
    this.#timer = setTimeout(() => this.turn(), STAYS);
  }

  /** A video plays: it reports its end. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  turn(): void {
    if (!this.isOn) return;
    this.#next().then(
      (went) => went || this.stop(),
      () => this.shown(), // without a network the photo stays a while longer
    );
  }
}
