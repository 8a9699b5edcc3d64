/** A spring that comes to rest without swinging: how things settle when a hand lets go of them. */

export interface Motion {
  /** From where it is to come to. */
  readonly distance: number;
  /** By the second. */
  readonly velocity: number;
}

const STIFFNESS = 20; // by the second: what is 100 pixels away is there after a quarter of one

/** The motion so many seconds later. */
export function after(seconds: number, { distance, velocity }: Motion): Motion {
  const pull = velocity + STIFFNESS * distance;
  const fade = Math.exp(-STIFFNESS * seconds);
  return {
    distance: (distance + pull * seconds) * fade,
    velocity: (velocity - pull * STIFFNESS * seconds) * fade,
  };
}
