/** The uploads of this browser, as the rest of the app asks for them. What works them is loaded when it is needed. */
import { t } from '../i18n/i18n.svelte';
import { toasts } from '../ui/toasts.svelte';
import { NOTHING_SAID, type Wish } from './item';

export interface Chosen {
  readonly files: readonly File[];
  readonly wish: Wish;
  /** This browser has no place for them but the page. */
  readonly isUnkept?: boolean;
}

/** An album that photos are added to for as long as it is looked at. */
export interface Aim {
  readonly albumId: string;
  readonly title: string;
}

let isChoosing = $state(false);
let chosen = $state.raw<readonly Chosen[]>([]);
let aim = $state.raw<Aim | null>(null);
let unkept = 0;

export const uploads = {
  get isChoosing(): boolean {
    return isChoosing;
  },
  /** Files that nobody has taken to the queue yet. */
  get chosen(): readonly Chosen[] {
    return chosen;
  },
  /** Where photos go, besides the timeline. */
  get aim(): Aim | null {
    return aim;
  },
  /** Until what is returned is called, photos go into this album. */
  aimAt(album: Aim): () => void {
    aim = album;
    return () => {
      if (aim === album) aim = null;
    };
  },
  /** Shows how many photos are left, and the ways to choose some. */
  choose(): void {
    isChoosing = true;
  },
  endChoosing(): void {
    isChoosing = false;
  },
  add(files: readonly File[], said: Omit<Wish, 'albumId'> = NOTHING_SAID): void {
    isChoosing = false;
    const wish = { ...said, albumId: aim?.albumId ?? null };
    if (files.length) chosen = [...chosen, { files, wish }];
  },
  /** Those that nobody could take after all. */
  giveBack(lot: Chosen): void {
    if (lot.files.length) chosen = [...chosen, lot];
  },
  /** Whether files would be gone with this page. */
  get wouldBeLost(): boolean {
    return chosen.length > 0 || unkept > 0;
  },
  /** So many more of them are only in this page. */
  risk(more: number): void {
    unkept += more;
  },
  /** The files, for whoever takes them to the queue. */
  take(): readonly Chosen[] {
    const taken = chosen;
    chosen = [];
    return taken;
  },
};

/** The ways to choose some could not be loaded. */
export function unopened(): undefined {
  isChoosing = false;
  toasts.offer(t('ui.unreachable'), t('ui.retry'), () => uploads.choose());
}
