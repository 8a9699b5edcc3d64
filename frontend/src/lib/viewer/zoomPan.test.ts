import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ZoomPan } from './zoomPan.svelte';

vi.mock('../ui/motion', () => ({ motionDuration: () => 0 }));

const told = { turn: vi.fn(), close: vi.fn(), info: vi.fn(), tap: vi.fn(), hold: vi.fn(), letGo: vi.fn() };
const STILL = { x: 0, y: 0 };
const at = (x: number, y: number, spread = 0) => ({ x, y, spread });

function opened(): ZoomPan {
  const stage = new ZoomPan(told);
  stage.room = { width: 400, height: 800 };
  stage.ratio = 1;
  stage.natural = 2000;
  stage.has = { 1: true, [-1]: false };
  return stage;
}

function dragged(stage: ZoomPan, by: { x: number; y: number }, velocity = STILL): void {
  stage.begin(at(0, 0), by);
  stage.move(at(by.x, by.y));
  stage.end(velocity);
}

beforeEach(() => {
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  vi.clearAllMocks();
});

describe('a picture that fits', () => {
  it('is turned by a long drag, or a short fast one', () => {
    dragged(opened(), { x: -200, y: 4 });
    expect(told.turn).toHaveBeenLastCalledWith(1);
    dragged(opened(), { x: -40, y: 4 }, { x: -900, y: 0 });
    expect(told.turn).toHaveBeenCalledTimes(2);
  });
  it('comes back from a drag that was short, or thought better of', () => {
    const stage = opened();
    dragged(stage, { x: -60, y: 0 });
    dragged(stage, { x: -300, y: 0 }, { x: 900, y: 0 });
    expect(told.turn).not.toHaveBeenCalled();
    expect(stage.track.at.x).toBe(0);
  });
  it('is not turned where there is nothing', () => {
    const stage = opened();
    stage.begin(at(0, 0), { x: 10, y: 0 });
    stage.move(at(300, 0));
    expect(stage.track.at.x).toBeLessThan(150);
    stage.end(STILL);
    expect(told.turn).not.toHaveBeenCalled();
  });
  it('is closed by a pull down, and tells more by one up', () => {
    dragged(opened(), { x: 3, y: 200 });
    expect(told.close).toHaveBeenCalledOnce();
    dragged(opened(), { x: 3, y: -90 });
    expect(told.info).toHaveBeenCalledOnce();
  });
});

it('lets nothing hang where another hand has stopped it', () => {
  const stage = opened();
  stage.track.set({ x: 7 });
  stage.begin(at(0, 0, 100), STILL);
  stage.move(at(0, 0, 200));
  stage.end(STILL);
  expect(stage.track.at.x).toBe(0);
});

describe('zoom', () => {
  it('goes by two fingers, within its limits', () => {
    const stage = opened();
    stage.begin(at(0, 0, 100), STILL);
    stage.move(at(0, 0, 300));
    expect(stage.view.at.scale).toBeCloseTo(3);
    stage.move(at(0, 0, 9000));
    stage.end(STILL);
    expect(stage.view.at.scale).toBe(stage.most);
  });
  it('closes when it is pinched to very little', () => {
    const stage = opened();
    stage.begin(at(0, 0, 300), STILL);
    stage.move(at(0, 0, 90));
    stage.end(STILL);
    expect(told.close).toHaveBeenCalledOnce();
  });
  it('goes in and out by a double tap', () => {
    const stage = opened();
    stage.doubleTap(STILL);
    expect(stage.view.at.scale).toBe(4);
    stage.doubleTap(STILL);
    expect(stage.view.at.scale).toBe(1);
  });
  it('lets a drag move the picture, up to its edge and from there on to the next', () => {
    const stage = opened();
    stage.doubleTap(STILL);
    dragged(stage, { x: -5000, y: 0 });
    expect(stage.view.at.x).toBe(-600);
    expect(told.turn).not.toHaveBeenCalled();
    dragged(stage, { x: -200, y: 0 });
    expect(told.turn).toHaveBeenCalledWith(1);
  });
  it('is not for films', () => {
    const stage = opened();
    stage.canZoom = false;
    stage.doubleTap(STILL);
    expect(stage.view.at.scale).toBe(1);
  });
});
