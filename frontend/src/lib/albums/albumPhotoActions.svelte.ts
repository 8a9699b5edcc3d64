/** Actions on selected photos of an album: remove them, use one as cover. */
import { t } from '../i18n/i18n.svelte';
import type { ChangeablePhotos } from '../photos/bulkChanges';
import { SelectionActions } from '../photos/selectionActions.svelte';
import type { MenuEntry } from '../ui/Menu.svelte';
import type { Selection } from '../ui/selection.svelte';
import { toastError, toasts } from '../ui/toasts.svelte';
import { addPhotos, removePhotos } from './albumRequests';
import type { OpenAlbum } from './openAlbum.svelte';

export class AlbumPhotoActions extends SelectionActions {
  constructor(
    readonly open: OpenAlbum,
    selection: Selection,
    photos: ChangeablePhotos,
  ) {
    super(selection, photos);
  }

  /** Likes and comments are deleted with the removal, and undo does not restore them. */
  async removeFromAlbum(ids: readonly string[] = this.ids): Promise<void> {
    this.selection.clear();
    const { id } = this.open;
    const ran = await this.run(ids, { gone: true }, (progress) => removePhotos(id, ids, progress));
    if (!ran) return;
    toasts.say(t('albums.takenOut', { n: ran.done.length }), () => {
      ran.back();
      addPhotos(id, ran.done).catch((error: unknown) => {
        this.photos.show(ran.done, { gone: true });
        toastError(error);
      });
    });
  }

  get entries(): readonly MenuEntry[] {
    const { open } = this;
    const [only, ...others] = this.ids;
    const isOne = only !== undefined && !others.length;
    return [
      ...(open.mayEdit && isOne
        ? [{ label: t('albums.useAsCover'), icon: 'album', run: () => void setCover(open, only) } as const]
        : []),
      ...(open.mayAdd
        ? [{ label: t('albums.takeOut'), icon: 'close', run: () => void this.removeFromAlbum() } as const]
        : []),
    ];
  }
}

export async function setCover(open: OpenAlbum, imageId: string): Promise<void> {
  const before = open.album?.cover;
  try {
    await open.change({ coverImageId: imageId });
    const undo = () => void open.change({ coverImageId: before?.imageId ?? null }).catch(toastError);
    toasts.say(t('albums.coverChosen'), before ? undo : undefined);
  } catch (error) {
    toastError(error);
  }
}
