/** Which photo is open above the page. It stands in the address, so that the back button closes it and a link opens it. */
import type { OpenAlbum } from '../albums/openAlbum.svelte';
import type { Sequence } from '../photos/sequence';
import type { Key } from '../i18n/i18n.svelte';
import { router } from '../router.svelte';
import type { IconName } from '../ui/icons';

const PARAMETER = 'photo';
const OURS = 'openedHere';

/** What only the page below does with a photo, which leaves it by that. */
export interface Leaving {
  readonly key: string;
  readonly icon: IconName;
  readonly label: Key;
  readonly run: (id: string) => void;
}

let leavings = $state.raw<readonly Leaving[]>([]);
let sequence = $state.raw<Sequence | null>(null);
let album = $state.raw<OpenAlbum | null>(null);

export const viewer = {
  get photo(): string | null {
    return router.query.get(PARAMETER);
  },
  /** What the page below shows: the photos before and after the open one. */
  get sequence(): Sequence | null {
    return sequence;
  },
  get leavings(): readonly Leaving[] {
    return leavings;
  },
  /** The album that the photos are looked at in: what is said about them there is shown, too. Where they are to leave
   * the page, they are not in it yet.
   */
  get album(): OpenAlbum | null {
    return leavings.length ? null : album;
  },
  /** A page tells that it is of an album, until what is returned is called. */
  enter(shown: OpenAlbum): () => void {
    album = shown;
    return () => {
      if (album === shown) album = null;
    };
  },
  /** A page tells what it shows, until what is returned is called. */
  offer(shown: Sequence, ways: readonly Leaving[] = []): () => void {
    [sequence, leavings] = [shown, ways];
    return () => {
      if (sequence === shown) [sequence, leavings] = [null, []];
    };
  },
  open(id: string): void {
    router.setQuery({ [PARAMETER]: id });
    history.replaceState({ ...(history.state as object | null), [OURS]: true }, '');
  },
  /** Another photo, without a step for the back button. */
  turnTo(id: string): void {
    router.setQuery({ [PARAMETER]: id }, { replace: true });
  },
  /** Where it was opened from a page, this is a step back: so there is never one that seems to do nothing. */
  close(): void {
    if ((history.state as Record<string, unknown> | null)?.[OURS]) history.back();
    else router.setQuery({ [PARAMETER]: null }, { replace: true });
  },
};
