/** Whether the controls are to be seen: they go when the mouse rests, and by a tap. For those who use keys, they stay. */

const RESTS = 3000;

export class Controls {
  shown = $state(true);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The mouse moved. */
  wake(): void {
    this.stay();
    this.#timer = setTimeout(() => (this.shown = false), RESTS);
  }

  /** A key was pressed, or something has the focus. */
  stay(): void {
    clearTimeout(this.#timer);
    this.shown = true;
  }

  /** A finger tapped on the picture. */
  toggle(): void {
    clearTimeout(this.#timer);
    this.shown = !this.shown;
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.shown = false;
  }
}
