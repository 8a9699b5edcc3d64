/** Numbers that are set by a hand, and spring to where they belong when it lets go. A hand stops them at any time. */
import { motion } from '../ui/motion';
import { after, type Motion } from './spring';

type Numbers = Readonly<Record<string, number>>;

const LONGEST_FRAME = 0.05; // seconds: after a break it goes on, rather than jump

export class Moving<T extends Numbers> {
  at = $state.raw() as T;
  readonly #ends: T;
  #frame = 0;

  /** `ends`: how near is near enough, for each of the numbers. */
  constructor(at: T, ends: T) {
    this.at = at;
    this.#ends = ends;
  }

  set(at: T): void {
    cancelAnimationFrame(this.#frame);
    this.at = at;
  }

  /** With the velocity by the second that they have already. */
  settle(target: T, velocity: Partial<T> = {}): void {
    this.set(this.at);
    if (!motion(1)) return this.set(target);
    const names = Object.keys(target) as (keyof T & string)[];
    let last = performance.now();
    let motions = names.map((name): Motion => ({
      distance: (this.at[name] ?? 0) - (target[name] ?? 0),
      velocity: velocity[name] ?? 0,
    }));
    const step = (now: number) => {
      const seconds = Math.min(LONGEST_FRAME, Math.max(0, now - last) / 1000);
      last = now;
      motions = motions.map((each) => after(seconds, each));
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
