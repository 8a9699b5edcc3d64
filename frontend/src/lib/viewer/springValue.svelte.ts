/** Numbers that spring to their target when released. A drag stops them at any time. */
import { motionDuration } from '../ui/motion';

type Numbers = Readonly<Record<string, number>>;

const LONGEST_FRAME = 0.05; // seconds: after a pause the motion goes on without a jump

export class SpringValue<T extends Numbers> {
  at = $state.raw() as T;
  readonly #ends: T;
  #frame = 0;

  /** `ends`: the distance at which each number has arrived. */
  constructor(at: T, ends: T) {
    this.at = at;
    this.#ends = ends;
  }

  set(at: T): void {
    cancelAnimationFrame(this.#frame);
    this.at = at;
  }

  /** `velocity` is the current one, per second. */
  settle(target: T, velocity: Partial<T> = {}): void {
    this.set(this.at);
    if (!motionDuration(1)) return this.set(target);
    const names = Object.keys(target) as (keyof T & string)[];
    let last = performance.now();
    let motions = names.map((name): SpringMotion => ({
      distance: (this.at[name] ?? 0) - (target[name] ?? 0),
      velocity: velocity[name] ?? 0,
    }));
    const step = (now: number) => {
      const seconds = Math.min(LONGEST_FRAME, Math.max(0, now - last) / 1000);
      last = now;
      motions = motions.map((each) => springAfter(seconds, each));
      const isThere = motions.every(({ distance, velocity }, at) => {
        const end = this.#ends[names[at] ?? ''] ?? 0;
        return Math.abs(distance) < end && Math.abs(velocity) < end * 60;
      });
      if (isThere) return void (this.at = target);
      const moved = names.map((name, at) => [name, (target[name] ?? 0) + (motions[at]?.distance ?? 0)]);
      this.at = Object.fromEntries(moved) as T;
      this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }
}

export interface SpringMotion {
  /** Distance to the target. */
  readonly distance: number;
  /** Per second. */
  readonly velocity: number;
}

const STIFFNESS = 20; // per second: 100 pixels take a quarter of a second

/** Motion of a critically damped spring after so many seconds. */
export function springAfter(seconds: number, { distance, velocity }: SpringMotion): SpringMotion {
  const pull = velocity + STIFFNESS * distance;
  const fade = Math.exp(-STIFFNESS * seconds);
  return {
    distance: (distance + pull * seconds) * fade,
    velocity: (velocity - pull * STIFFNESS * seconds) * fade,
  };
}
