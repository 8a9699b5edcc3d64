/** Photos in an order, of which some may still have to be loaded: what a viewer walks through. */
import type { Image } from '../api/shapes';
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
  /** A photo was changed in the viewer: this is how it is now. */
  update?(image: Image): void;
  /** Photos were thrown away in the viewer, which is closed now. */
  drop?(ids: readonly string[]): void;
  /** One that was dropped is back. */
  reset?(): Promise<void>;
  /** The viewer is closed at this place, whose tile is not on the page: scroll to it. */
  reveal?(index: number): void;
}
