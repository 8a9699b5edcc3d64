/** The uploads of this browser, as the rest of the app asks for them. What works them is loaded when it is needed. */
import { NOTHING_SAID, type Wish } from './item';

export interface Chosen {
  readonly files: readonly File[];
  readonly wish: Wish;
}

let isChoosing = $state(false);
let chosen = $state.raw<readonly Chosen[]>([]);

export const uploads = {
  get isChoosing(): boolean {
    return isChoosing;
  },
  /** Files that nobody has taken to the queue yet. */
  get chosen(): readonly Chosen[] {
    return chosen;
  },
  /** Shows how many photos are left, and the ways to choose some. */
  choose(): void {
    isChoosing = true;
  },
  endChoosing(): void {
    isChoosing = false;
  },
  add(files: readonly File[], wish: Wish = NOTHING_SAID): void {
    isChoosing = false;
    if (files.length) chosen = [...chosen, { files, wish }];
  },
  /** The files, for whoever takes them to the queue. */
  take(): readonly Chosen[] {
    const taken = chosen;
    chosen = [];
    return taken;
  },
};
