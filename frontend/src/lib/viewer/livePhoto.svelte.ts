/** The film behind a live photo: whether it is to play, and with sound. It plays once, and the still is there again. */

const HELD = 350; // milliseconds from which on a press lasts as long as the finger stays

export class LivePhoto {
  /** It is asked for: it plays, or is on its way. */
  isOn = $state(false);
  /** It was asked for once: from then on it is kept at hand. */
  isNear = $state(false);
  /** Its pictures are to be seen, instead of the still. */
  isMoving = $state(false);
  /** Nobody hears it who has not asked for that. */
  isLoud = $state(false);
  #began = -Infinity;
  #pressed = 0;
  #wasOn = false;

  /** With the time, where a mouse has come to it. */
  play(time = -Infinity): void {
    this.#began = time;
    this.isOn = this.isNear = true;
  }

  stop(): void {
    this.isOn = this.isMoving = false;
  }

  toggle(): void {
    if (this.isOn) this.stop();
    else this.play();
  }

  /** The first picture of the film is there. One that was stopped meanwhile stays away. */
  moves(): void {
    this.isMoving = this.isOn;
  }

  /** A finger, or a button of the mouse, goes down. Who clicks where a mouse has just come to wants to see it. */
  press(time: number): void {
    this.#pressed = time;
    this.#wasOn = this.isOn && time - this.#began >= HELD;
    if (!this.isOn) this.play();
  }

  /** After a short press it plays to its end; a long one was to see it for as long, and one on a film stops it. */
  release(time: number): void {
    if (this.#wasOn || time - this.#pressed >= HELD) this.stop();
  }

  /** Another photo is open. Who wanted sound still does. */
  reset(): void {
    this.stop();
    this.isNear = false;
  }
}
