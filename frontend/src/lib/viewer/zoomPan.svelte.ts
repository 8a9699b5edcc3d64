/** Zoom, pan and swipe state of the open picture. */
import {
  doubleScale,
  fit,
  clampView,
  mostScale,
  pinchScale,
  type Point,
  rubberBandView,
  type Size,
  slack,
  type ZoomView,
  FITTED_VIEW,
  rubberBand,
  zoomedAt,
} from './geometry';
import { type PointerState, type GestureHandlers } from './gestures';
import { SpringValue } from './springValue.svelte';

export type Direction = 1 | -1;

export interface ZoomPanHandlers {
  turn(to: Direction): void;
  close(): void;
  info(): void;
  tap(kind: string): void;
  /** A finger rests on the picture: true if that does something. `release` follows. */
  hold(): boolean;
  letGo(): void;
}

type Mode = 'pinch' | 'pan' | 'turn' | 'pull';

export const GAP = 24; // pixels between two pictures
const FLICK = 400; // pixels per second: a faster swipe may be short
const AWAY = 110; // pixels of a pull that closes the viewer
const CARRY = 0.16; // seconds that a picture slides on
const CLOSES = 0.72; // scale of a pinch that closes the viewer
const NUDGE = 0.6;
const NARROW = 700;
const BARS = 136;

const NO_ROOM: Size = { width: 0, height: 0 };

export class ZoomPan implements GestureHandlers {
  room = $state.raw(NO_ROOM);
  ratio = $state(1);
  /** Width of the original; null if unknown. */
  natural = $state<number | null>(null);
  /** False for videos, which have controls of their own. */
  canZoom = $state(true);
  has: Readonly<Record<Direction, boolean>> = $state.raw({ 1: false, [-1]: false } as Record<Direction, boolean>);

  readonly view = new SpringValue<ZoomView>(FITTED_VIEW, { scale: 0.0005, x: 0.2, y: 0.2 });
  /** Horizontal offset of the row of pictures. */
  readonly track = new SpringValue({ x: 0 }, { x: 0.3 });
  /** Vertical offset of the picture. */
  readonly fall = new SpringValue({ y: 0 }, { y: 0.3 });

  fitted = $derived(this.room.width && this.room.height ? fit(this.ratio, this.room, this.natural) : NO_ROOM);
  /** On a phone a video leaves room for the bars, since its controls are at its edge. */
  filmRoom = $derived(
    this.room.width < NARROW ? { width: this.room.width, height: Math.max(200, this.room.height - BARS) } : this.room,
  );
  most = $derived(mostScale(this.natural, this.fitted));
  isZoomed = $derived(this.view.at.scale > 1.01);

  readonly #told: ZoomPanHandlers;
  #mode: Mode = 'turn';
  #from: { hand: PointerState; view: ZoomView; x: number; y: number } = {
    hand: { x: 0, y: 0, spread: 0 },
    view: FITTED_VIEW,
    x: 0,
    y: 0,
  };

  constructor(told: ZoomPanHandlers) {
    this.#told = told;
  }

  /** A zoomed picture keeps no gap at an edge. */
  resize(room: Size): void {
    this.room = room;
    this.view.set(clampView(this.view.at, this.fitted, room));
  }

  /** Another picture is open: it is shown whole. */
  reset(): void {
    this.view.set(FITTED_VIEW);
    this.fall.set({ y: 0 });
  }

  /** The next picture is open now; it slides in from where the swipe left it. */
  slideTo(to: Direction, velocity: number): void {
    this.track.set({ x: this.track.at.x + to * (this.room.width + GAP) });
    this.track.settle({ x: 0 }, { x: velocity });
  }

  zoom(scale: number, at: Point = { x: 0, y: 0 }): void {
    if (!this.canZoom) return;
    const wanted = Math.min(this.most, Math.max(1, scale));
    this.view.settle(clampView(zoomedAt(this.view.at, wanted, at), this.fitted, this.room));
  }

  /** Moves a zoomed picture by a part of the room, for keys. */
  nudge(by: Point): void {
    const { scale, x, y } = this.view.at;
    const moved = { scale, x: x + by.x * this.room.width * NUDGE, y: y + by.y * this.room.height * NUDGE };
    this.view.settle(clampView(moved, this.fitted, this.room));
  }

  // -- Gestures

  begin(hand: PointerState, by: Point): void {
    this.view.set(this.view.at);
    this.track.set(this.track.at);
    this.fall.set(this.fall.at);
    this.#mode = this.#modeOf(hand, by);
    this.#from = { hand, view: this.view.at, x: this.track.at.x, y: this.fall.at.y };
  }

  move(hand: PointerState): void {
    const { hand: from, view, x, y } = this.#from;
    const by = { x: hand.x - from.x, y: hand.y - from.y };
    if (this.#mode === 'pinch') this.view.set(this.#pinchedBy(hand));
    else if (this.#mode === 'pan')
      this.view.set(rubberBandView({ scale: view.scale, x: view.x + by.x, y: view.y + by.y }, this.fitted, this.room));
    else if (this.#mode === 'turn') {
      const wanted = x + by.x;
      this.track.set({ x: this.has[wanted < 0 ? 1 : -1] ? wanted : rubberBand(wanted, 0) });
    } else this.fall.set({ y: y + by.y > 0 ? y + by.y : rubberBand(y + by.y, 0) });
  }

  end(velocity: Point): void {
    if (this.#mode !== 'turn' && this.track.at.x) this.track.settle({ x: 0 });
    if (this.#mode !== 'pull' && this.fall.at.y) this.fall.settle({ y: 0 });
    if (this.#mode === 'pinch') this.#pinchEnds();
    else if (this.#mode === 'pan') {
      const { scale, x, y } = this.view.at;
      const carried = { scale, x: x + velocity.x * CARRY, y: y + velocity.y * CARRY };
      this.view.settle(clampView(carried, this.fitted, this.room), velocity);
    } else if (this.#mode === 'turn') this.#turnEnds(velocity.x);
    else this.#pullEnds(velocity.y);
  }

  tap(_: Point, kind: string): void {
    this.#told.tap(kind);
  }

  hold(): boolean {
    return this.#told.hold();
  }

  release(): void {
    this.#told.letGo();
  }

  doubleTap(at: Point): void {
    this.zoom(this.isZoomed ? 1 : doubleScale(this.natural, this.fitted), at);
  }

  /** A pinch on a touchpad comes as a wheel event with `ctrlKey`, in smaller steps. */
  wheel(at: Point, event: WheelEvent): void {
    if (!this.canZoom) return;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 18 : 1;
    const by = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.012 : 0.0022));
    const scale = Math.min(this.most, Math.max(1, this.view.at.scale * by));
    this.view.set(clampView(zoomedAt(this.view.at, scale, at), this.fitted, this.room));
  }

  // -- Their meaning

  #modeOf(hand: PointerState, by: Point): Mode {
    if (hand.spread && this.canZoom) return 'pinch';
    const isAcross = Math.abs(by.x) > Math.abs(by.y);
    if (this.isZoomed && !(isAcross && this.#isAtEdge(by.x))) return 'pan';
    return isAcross || this.isZoomed || this.track.at.x !== 0 ? 'turn' : 'pull';
  }

  /** Whether a zoomed picture has reached its edge. */
  #isAtEdge(by: number): boolean {
    const { scale, x } = this.view.at;
    const limit = slack(scale, this.fitted, this.room).x;
    return by > 0 ? x >= limit - 1 && this.has[-1] : x <= 1 - limit && this.has[1];
  }

  #pinchedBy(hand: PointerState): ZoomView {
    const { hand: from, view } = this.#from;
    const scale = from.spread ? pinchScale((view.scale * hand.spread) / from.spread, this.most) : view.scale;
    const zoomed = zoomedAt(view, scale, from);
    return { scale, x: zoomed.x + hand.x - from.x, y: zoomed.y + hand.y - from.y };
  }

  #pinchEnds(): void {
    const view = this.view.at;
    if (view.scale < CLOSES) return this.#told.close();
    const scale = Math.min(this.most, Math.max(1, view.scale));
    this.view.settle(
      clampView(scale === 1 ? FITTED_VIEW : zoomedAt(view, scale, this.#from.hand), this.fitted, this.room),
    );
  }

  #turnEnds(velocity: number): void {
    const { x } = this.track.at;
    const to: Direction = x < 0 ? 1 : -1;
    const isFlick = Math.abs(velocity) > FLICK && Math.sign(velocity) === -to;
    const isBack = Math.abs(velocity) > FLICK && Math.sign(velocity) === to;
    if (this.has[to] && !isBack && (isFlick || Math.abs(x) > this.room.width / 3)) {
      this.#told.turn(to);
      this.slideTo(to, velocity);
    } else this.track.settle({ x: 0 }, { x: velocity });
  }

  #pullEnds(velocity: number): void {
    const { y } = this.fall.at;
    if (y > AWAY || (y > 20 && velocity > FLICK)) return this.#told.close();
    if (y < -12 && velocity <= 0) this.#told.info();
    this.fall.settle({ y: 0 }, { y: velocity });
  }
}
