/** Time, as the queue needs it. */

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Runs it later, unless what is returned is called before. */
  after(milliseconds: number, run: () => void): () => void;
}

export const clock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
