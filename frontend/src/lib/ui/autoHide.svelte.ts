/** Visibility of controls that hide when the mouse rests. They hide by a tap, too, and stay while keys are used. */

const RESTS = 3000;

export class AutoHide {
  shown = $state(true);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The mouse moved. */
  wake(): void {
    this.stay();
    this.#timer = setTimeout(() => (this.shown = false), RESTS);
  }

  /** A key was pressed, or a control has the focus. */
  stay(): void {
    clearTimeout(this.#timer);
    this.shown = true;
  }

  /** The picture was tapped. */
  toggle(): void {
    clearTimeout(this.#timer);
    this.shown = !this.shown;
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.shown = false;
  }
}
