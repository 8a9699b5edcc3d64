import { describe, expect, it } from 'vitest';
import { LivePhoto } from './livePhoto.svelte';

describe('a live photo', () => {
  it('is a still without sound until it is played', () => {
    const live = new LivePhoto();
    expect([live.isOn, live.isNear, live.isMoving, live.isLoud]).toEqual([false, false, false, false]);
  });
  it('shows its film only when that has something to show', () => {
    const live = new LivePhoto();
    live.play();
    expect([live.isOn, live.isMoving]).toEqual([true, false]);
    live.moves();
    expect(live.isMoving).toBe(true);
  });
  it('stays a still when it is stopped before the film has come', () => {
    const live = new LivePhoto();
    live.play();
    live.stop();
    live.moves();
    expect([live.isOn, live.isMoving, live.isNear]).toEqual([false, false, true]);
  });
  it('plays to its end after a tap, and stops by another', () => {
    const live = new LivePhoto();
    live.press(1000);
    live.release(1100);
    expect(live.isOn).toBe(true);
    live.press(1200);
    live.release(1250);
    expect(live.isOn).toBe(false);
  });
  it('goes on when a mouse comes and clicks at once, and stops by a later click', () => {
    const live = new LivePhoto();
    live.play(1000);
    live.press(1150);
    live.release(1200);
    expect(live.isOn).toBe(true);
    live.press(2000);
    live.release(2050);
    expect(live.isOn).toBe(false);
  });
  it('plays for as long as it is held', () => {
    const live = new LivePhoto();
    live.press(1000);
    expect(live.isOn).toBe(true);
    live.release(2000);
    expect(live.isOn).toBe(false);
  });
  it('forgets the film of the photo before, but not the wish for sound', () => {
    const live = new LivePhoto();
    live.isLoud = true;
    live.toggle();
    live.moves();
    live.reset();
    expect([live.isOn, live.isNear, live.isMoving, live.isLoud]).toEqual([false, false, false, true]);
  });
});
