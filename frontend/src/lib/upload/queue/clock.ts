/** Clock of the upload queue, replaced in tests. */

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Runs a function later; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
