import { expect, it, vi } from 'vitest';
import { springAfter } from './springValue.svelte';

vi.mock('../ui/motion', () => ({ motionDuration: () => 0 }));

it('comes to rest within half a second, and never swings over', () => {
  let motion = { distance: 400, velocity: 0 };
  for (let frame = 0; frame < 30; frame++) {
    const next = springAfter(1 / 60, motion);
    expect(next.distance).toBeLessThan(motion.distance);
    expect(next.distance).toBeGreaterThanOrEqual(0);
    motion = next;
  }
  expect(motion.distance).toBeLessThan(1);
});

it('goes the same way, however often it is looked at', () => {
  const start = { distance: -120, velocity: 900 };
  const atOnce = springAfter(0.2, start);
  const inSteps = springAfter(0.05, springAfter(0.05, springAfter(0.1, start)));
  expect(inSteps.distance).toBeCloseTo(atOnce.distance, 6);
  expect(inSteps.velocity).toBeCloseTo(atOnce.velocity, 6);
});

it('goes on with the speed that it has', () => {
  expect(springAfter(0.01, { distance: 0, velocity: 1000 }).distance).toBeGreaterThan(5);
});
