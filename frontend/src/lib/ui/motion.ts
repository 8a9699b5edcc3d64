/** Duration of transitions, zero where less motion is preferred. */
const reduced = matchMedia('(prefers-reduced-motion: reduce)');

export const motionDuration = (milliseconds: number): number => (reduced.matches ? 0 : milliseconds);
