/** Action that reports horizontal swipes of a finger over an element. Pinching and scrolling are left to the browser.
 */
interface SwipeHandlers {
  readonly onmove: (x: number) => void;
  /** -1 for the previous photo, 1 for the next, 0 for none. */
  readonly onend: (step: -1 | 0 | 1) => void;
}

const FAR = 56; // pixels

export const swipeStep = (x: number, isRightToLeft: boolean): -1 | 0 | 1 =>
  Math.abs(x) < FAR ? 0 : x < 0 !== isRightToLeft ? 1 : -1;

export function swipe(element: HTMLElement, wish: SwipeHandlers): { update: (next: SwipeHandlers) => void } {
  let from: { x: number; id: number } | null = null;
  function down(event: PointerEvent) {
    if (event.pointerType === 'mouse' || !event.isPrimary) return end(0);
    from = { x: event.clientX, id: event.pointerId };
  }
  function move(event: PointerEvent) {
    if (from?.id === event.pointerId) wish.onmove(event.clientX - from.x);
  }
  function up(event: PointerEvent) {
    if (from?.id === event.pointerId) end(swipeStep(event.clientX - from.x, document.dir === 'rtl'));
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
