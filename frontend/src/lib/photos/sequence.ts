/** Photos in an order, of which some may still have to be loaded: what a viewer walks through. */
import type { Tile } from './tile';

export interface Sequence {
  /** How many there are, as far as is known by now. */
  readonly count: number;
  /** The photo at this place, if it is loaded. */
  at(index: number): Tile | undefined;
  /** The same, loaded if need be; undefined where there is none. */
  load(index: number): Promise<Tile | undefined>;
  /** Where a photo is, or -1 where nobody knows. */
  indexOf(id: string): number;
  /** Shows at once what becomes of photos, and takes it back by what is returned. */
  show?(ids: readonly string[], shown: { readonly gone: true } | { readonly favorite: boolean }): () => void;
}
