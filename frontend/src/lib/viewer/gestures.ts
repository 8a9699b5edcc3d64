/** Action that reports taps, drags, pinches and the wheel. */
import type { Action } from 'svelte/action';
import type { Point } from './geometry';

/** Position of one finger, or the middle of two, from the middle of the element; and the distance between the two. */
export interface PointerState extends Point {
  readonly spread: number;
}

export interface GestureHandlers {
  /** A drag begins, or a finger joins or leaves it. `by` is the first movement. */
  begin(hand: PointerState, by: Point): void;
  move(hand: PointerState): void;
  /** With the velocity in pixels a second. */
  end(velocity: Point): void;
  /** One tap, reported when no second one can follow; for a mouse at once. */
  tap(at: Point, kind: string): void;
  doubleTap(at: Point): void;
  /** A finger stays in place. If this returns true, nothing else is reported until `release`. */
  hold(): boolean;
  release(): void;
  wheel(at: Point, event: WheelEvent): void;
}

const STARTS = 8; // pixels after which a movement is a drag
const TAP = 300; // longest time between two taps, in milliseconds
const LONG = 400; // milliseconds after which a press is a long one
const NEAR = 40; // longest distance between two taps, in pixels
const RECENT = 80; // milliseconds that the velocity is measured over

interface Seen extends Point {
  readonly time: number;
}

/** Elements with `data-still` keep their own clicks and drags. */
export const gestures: Action<HTMLElement, GestureHandlers> = (element, handlers) => {
  const fingers = new Map<number, Point>();
  let first: Point = { x: 0, y: 0 };
  let isDragging = false;
  let isHeld = false;
  let wasPinch = false;
  let trail: Seen[] = [];
  let lastTap: Seen | null = null;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let holding: ReturnType<typeof setTimeout> | undefined;

  function point(event: MouseEvent): Point {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 };
  }

  function hand(): PointerState {
    const [one, other] = [...fingers.values()];
    if (!one) return { x: 0, y: 0, spread: 0 };
    if (!other) return { ...one, spread: 0 };
    const spread = Math.hypot(one.x - other.x, one.y - other.y);
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, spread };
  }

  function begin(by: Point) {
    clearTimeout(holding);
    isDragging = true;
    trail = [];
    for (const id of fingers.keys()) element.setPointerCapture(id);
    handlers.begin(hand(), by);
  }

  function hold() {
    isHeld = handlers.hold();
  }

  function down(event: PointerEvent) {
    const still = event.target instanceof Element && event.target.closest('[data-still]');
    if (event.button !== 0 || still || fingers.size === 2 || isHeld) return;
    fingers.set(event.pointerId, point(event));
    if (fingers.size === 1) {
      first = point(event);
      wasPinch = false;
      if (event.pointerType !== 'mouse') holding = setTimeout(hold, LONG);
    } else {
      wasPinch = true;
      begin({ x: 0, y: 0 });
    }
  }

  function moved(event: PointerEvent) {
    if (!fingers.has(event.pointerId) || isHeld) return;
    const now = point(event);
    fingers.set(event.pointerId, now);
    if (!isDragging) {
      const by = { x: now.x - first.x, y: now.y - first.y };
      if (Math.hypot(by.x, by.y) < STARTS) return;
      begin(by);
    }
    const where = hand();
    trail = [...trail.filter(({ time }) => event.timeStamp - time < RECENT), { ...where, time: event.timeStamp }];
    handlers.move(where);
  }

  function up(event: PointerEvent) {
    if (!fingers.delete(event.pointerId)) return;
    clearTimeout(holding);
    if (isHeld) {
      isHeld = false;
      return handlers.release();
    }
    if (isDragging && fingers.size) return begin({ x: 0, y: 0 });
    if (isDragging) {
      isDragging = false;
      handlers.end(wasPinch ? { x: 0, y: 0 } : velocity(event.timeStamp));
    } else if (event.type === 'pointerup' && !wasPinch) tapped(event);
  }

  function velocity(now: number): Point {
    const [from, to] = [trail.find(({ time }) => now - time < RECENT), trail.at(-1)];
    const seconds = from && to ? (to.time - from.time) / 1000 : 0;
    if (!from || !to || seconds < 0.005) return { x: 0, y: 0 };
    return { x: (to.x - from.x) / seconds, y: (to.y - from.y) / seconds };
  }

  function tapped(event: PointerEvent) {
    const tap = { ...point(event), time: event.timeStamp };
    const isSecond =
      lastTap && tap.time - lastTap.time < TAP && Math.hypot(tap.x - lastTap.x, tap.y - lastTap.y) < NEAR;
    clearTimeout(waiting);
    lastTap = isSecond ? null : tap;
    if (isSecond) handlers.doubleTap(tap);
    else if (event.pointerType === 'mouse') handlers.tap(tap, 'mouse');
    else waiting = setTimeout(() => handlers.tap(tap, event.pointerType), TAP);
  }

  function wheel(event: WheelEvent) {
    event.preventDefault();
    handlers.wheel(point(event), event);
  }

  /** Some browsers open a menu on a long press, which would end it. */
  function menu(event: Event) {
    if (isHeld) event.preventDefault();
  }

  const listeners = {
    pointerdown: down,
    pointermove: moved,
    pointerup: up,
    pointercancel: up,
    contextmenu: menu,
  } as const;
  for (const [kind, listener] of Object.entries(listeners))
    element.addEventListener(kind, listener as (event: Event) => void);
  element.addEventListener('wheel', wheel, { passive: false });
  return {
    destroy() {
      clearTimeout(waiting);
      clearTimeout(holding);
      for (const [kind, listener] of Object.entries(listeners))
        element.removeEventListener(kind, listener as (event: Event) => void);
      element.removeEventListener('wheel', wheel);
    },
  };
};
