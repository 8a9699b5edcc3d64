/** Action that reports a long press of a finger. The click or menu that follows it is suppressed. */
import type { Action } from 'svelte/action';

const LONG = 450; // milliseconds
const STILL = 10; // pixels that the finger may move

export const longPress: Action<HTMLElement, (() => void) | undefined> = (element, onpress) => {
  let run = onpress;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let from = { x: 0, y: 0 };
  let isPressed = false;

  const stop = () => clearTimeout(waiting);
  function down(event: PointerEvent) {
    isPressed = false;
    if (event.pointerType !== 'touch' || !run) return;
    from = { x: event.clientX, y: event.clientY };
    waiting = setTimeout(() => {
      isPressed = true;
      navigator.vibrate?.(10);
      run?.();
    }, LONG);
  }
  function move(event: PointerEvent) {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL) stop();
  }
  function click(event: MouseEvent) {
    if (!isPressed) return;
    isPressed = false;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  function menu(event: Event) {
    if (matchMedia('(pointer: coarse)').matches && run) event.preventDefault();
  }

  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  for (const name of ['pointerup', 'pointercancel', 'pointerleave']) element.addEventListener(name, stop);
  element.addEventListener('click', click, { capture: true });
  element.addEventListener('contextmenu', menu);
  return { update: (next) => void (run = next), destroy: stop };
};
