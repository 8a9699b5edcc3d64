/** Until what is returned is called, `reload` is called whenever somebody, here or elsewhere, changed who is who. */
import { live } from '../live/stream';

export function followPeople(reload: () => void): () => void {
  const ends = [live.on('people', reload), live.on('reset', reload)];
  return () => ends.forEach((end) => end());
}
