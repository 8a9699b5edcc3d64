/** Store of chosen files and the target album, for the rest of the app. The queue itself loads on demand. */
import { t } from '../i18n/i18n.svelte';
import { toasts } from '../ui/toasts.svelte';
import { DEFAULT_UPLOAD_OPTIONS, type UploadOptions } from './queue/queueItem';

export interface ChosenFiles {
  readonly files: readonly File[];
  readonly wish: UploadOptions;
  /** This browser could not store them: they are only in the page. */
  readonly isUnkept?: boolean;
}

/** Album that uploads are added to while its page is open. */
export interface UploadTarget {
  readonly albumId: string;
  readonly title: string;
}

let isChoosing = $state(false);
let chosen = $state.raw<readonly ChosenFiles[]>([]);
let target = $state.raw<UploadTarget | null>(null);
let unkept = 0;

export const uploads = {
  get isChoosing(): boolean {
    return isChoosing;
  },
  /** Files that are not in the queue yet. */
  get chosen(): readonly ChosenFiles[] {
    return chosen;
  },
  /** Album that uploads are added to. */
  get aim(): UploadTarget | null {
    return target;
  },
  /** Adds uploads to this album until the returned function is called. */
  setTarget(album: UploadTarget): () => void {
    target = album;
    return () => {
      if (target === album) target = null;
    };
  },
  /** Opens the upload dialog. */
  choose(): void {
    isChoosing = true;
  },
  endChoosing(): void {
    isChoosing = false;
  },
  add(files: readonly File[], said: Omit<UploadOptions, 'albumId'> = DEFAULT_UPLOAD_OPTIONS): void {
    isChoosing = false;
    const wish = { ...said, albumId: target?.albumId ?? null };
    if (files.length) chosen = [...chosen, { files, wish }];
  },
  /** Keeps files that could not be stored. */
  giveBack(lot: ChosenFiles): void {
    if (lot.files.length) chosen = [...chosen, lot];
  },
  /** Whether files would be lost with this page. */
  get wouldBeLost(): boolean {
    return chosen.length > 0 || unkept > 0;
  },
  /** So many more files are only in this page. */
  countUnsaved(more: number): void {
    unkept += more;
  },
  /** Takes the files to put them into the queue. */
  take(): readonly ChosenFiles[] {
    const taken = chosen;
    chosen = [];
    return taken;
  },
};

/** Reports that the upload dialog could not be loaded. */
export function onDialogLoadError(): undefined {
  isChoosing = false;
  toasts.offer(t('ui.unreachable'), t('ui.retry'), () => uploads.choose());
}
