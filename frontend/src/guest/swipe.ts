/** An action: a finger that moves sideways over an element, and is lifted. Pinching and scrolling stay the browser's. */
interface Wish {
  readonly onmove: (x: number) => void;
  /** -1 to the one before, 1 to the next, 0 back to where it was. */
  readonly onend: (step: -1 | 0 | 1) => void;
}

const FAR = 56; // pixels

export const stepOf = (x: number, isRightToLeft: boolean): -1 | 0 | 1 =>
  Math.abs(x) < FAR ? 0 : x < 0 !== isRightToLeft ? 1 : -1;

export function swipe(element: HTMLElement, wish: Wish): { update: (next: Wish) => void } {
  let from: { x: number; id: number } | null = null;
  function down(event: PointerEvent) {
    if (event.pointerType === 'mouse' || !event.isPrimary) return end(0);
    from = { x: event.clientX, id: event.pointerId };
  }
  function move(event: PointerEvent) {
    if (from?.id === event.pointerId) wish.onmove(event.clientX - from.x);
  }
  function up(event: PointerEvent) {
    if (from?.id === event.pointerId) end(stepOf(event.clientX - from.x, document.dir === 'rtl'));
  }
  function end(step: -1 | 0 | 1) {
    if (from) wish.onend(step);
    from = null;
  }
  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', () => end(0));
  return { update: (next) => void (wish = next) };
}
