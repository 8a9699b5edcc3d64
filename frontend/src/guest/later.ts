/** What happens at a time that a link names: when it is over, or its photos are revealed. */

const MOST_WAIT = 2 ** 31 - 1; // milliseconds that a timer can wait
const BEHIND = 500; // milliseconds, since clocks differ

/** Unless what is returned is called before; never where there is no time, or it is too far for a timer. */
export function at(time: string | null | undefined, run: () => void): () => void {
  const wait = time ? new Date(time).getTime() - Date.now() : Infinity;
  const timer = wait < MOST_WAIT ? setTimeout(run, wait + BEHIND) : undefined;
  return () => clearTimeout(timer);
}
