/** State of the viewer in the address: open photo, its sequence and album. So the back button closes it, and a link
 * opens it.
 */
import type { OpenAlbum } from '../albums/openAlbum.svelte';
import type { Key } from '../i18n/i18n.svelte';
import type { PhotoSequence } from '../photos/tile';
import { router } from '../router.svelte';
import type { IconName } from '../ui/icons';

const PARAMETER = 'photo';
const OURS = 'openedHere';

/** Action of the page behind the viewer, after which the photo is no longer on that page. */
export interface LeaveAction {
  readonly key: string;
  readonly icon: IconName;
  readonly label: Key;
  readonly run: (id: string) => void;
}

let leaveActions = $state.raw<readonly LeaveAction[]>([]);
let sequence = $state.raw<PhotoSequence | null>(null);
let album = $state.raw<OpenAlbum | null>(null);

export const viewer = {
  get photo(): string | null {
    return router.query.get(PARAMETER);
  },
  /** Photos of the page behind the viewer. */
  get sequence(): PhotoSequence | null {
    return sequence;
  },
  get leaveActions(): readonly LeaveAction[] {
    return leaveActions;
  },
  /** Album that the viewer was opened from, whose likes and comments are shown. None for photos that still wait for
   * approval.
   */
  get album(): OpenAlbum | null {
    return leaveActions.length ? null : album;
  },
  /** Sets the album until the returned function is called. */
  setAlbum(shown: OpenAlbum): () => void {
    album = shown;
    return () => {
      if (album === shown) album = null;
    };
  },
  /** Sets the photos of the page until the returned function is called. */
  setSequence(shown: PhotoSequence, ways: readonly LeaveAction[] = []): () => void {
    [sequence, leaveActions] = [shown, ways];
    return () => {
      if (sequence === shown) [sequence, leaveActions] = [null, []];
    };
  },
  open(id: string): void {
    router.setQuery({ [PARAMETER]: id });
    history.replaceState({ ...(history.state as object | null), [OURS]: true }, '');
  },
  /** Opens another photo in the same history entry. */
  replaceWith(id: string): void {
    router.setQuery({ [PARAMETER]: id }, { replace: true });
  },
  /** If the viewer was opened from a page this goes back, so that no history entry does nothing. */
  close(): void {
    if ((history.state as Record<string, unknown> | null)?.[OURS]) history.back();
    else router.setQuery({ [PARAMETER]: null }, { replace: true });
  },
};

/** State of the info panel. It is stored on wide windows; on a phone it starts closed, since it covers the picture. */
const KEY = 'sparks.viewer.info';
const wide = matchMedia('(min-width: 700px)');

let isOpen = $state(wide.matches && localStorage.getItem(KEY) === 'open');

export const infoPanel = {
  get isOpen(): boolean {
    return isOpen;
  },
  toggle(wanted = !isOpen): void {
    isOpen = wanted;
    if (!wide.matches) return;
    if (wanted) localStorage.setItem(KEY, 'open');
    else localStorage.removeItem(KEY);
  },
  /** The viewer opens. */
  start(): void {
    isOpen = wide.matches && localStorage.getItem(KEY) === 'open';
  },
};
