/** How long a transition takes: no time at all for those who asked for less motion. */
const reduced = matchMedia('(prefers-reduced-motion: reduce)');

export const motion = (milliseconds: number): number => (reduced.matches ? 0 : milliseconds);
