/** Playback state of a live photo. It plays once, then the still is shown again. */

const HELD = 350; // milliseconds after which a press plays only while it lasts

export class LivePhoto {
  /** The video plays, or loads to play. */
  isOn = $state(false);
  /** It was played once: the video stays loaded. */
  isNear = $state(false);
  /** The video is shown over the still. */
  isMoving = $state(false);
  /** Sound is off until the user asks for it. */
  isLoud = $state(false);
  #began = -Infinity;
  #pressed = 0;
  #wasOn = false;

  /** With the time, if a mouse came over the badge. */
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

  /** The first frame is there. A video that was stopped meanwhile stays hidden. */
  moves(): void {
    this.isMoving = this.isOn;
  }

  /** A finger or mouse button goes down. A click right after the mouse came over the badge does not stop the video. */
  press(time: number): void {
    this.#pressed = time;
    this.#wasOn = this.isOn && time - this.#began >= HELD;
    if (!this.isOn) this.play();
  }

  /** After a short press the video plays to its end; a long press, or a press while it plays, stops it. */
  release(time: number): void {
    if (this.#wasOn || time - this.#pressed >= HELD) this.stop();
  }

  /** Another photo is open. The choice of sound is kept. */
  reset(): void {
    this.stop();
    this.isNear = false;
  }
}
