/** What is done in an album with the photos that are picked there. */
import { t } from '../i18n/i18n.svelte';
import { Actions } from '../photos/actions.svelte';
import type { Changeable } from '../photos/changes';
import type { Selection } from '../photos/selection.svelte';
import type { Entry } from '../ui/Menu.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import type { OpenAlbum } from './openAlbum.svelte';
import { putInto, takeOut } from './photoDeeds';

export class AlbumActions extends Actions {
  constructor(
    readonly open: OpenAlbum,
    selection: Selection,
    photos: Changeable,
  ) {
    super(selection, photos);
  }

  /** [Note: what was said] Likes and comments go with a photo, and do not come back with it. */
  async takeOut(ids: readonly string[] = this.ids): Promise<void> {
    this.selection.clear();
    const { id } = this.open;
    const ran = await this.run(ids, { gone: true }, (progress) => takeOut(id, ids, progress));
    if (!ran) return;
    toasts.say(t('albums.takenOut', { n: ran.done.length }), () => {
      ran.back();
      putInto(id, ran.done).catch((error: unknown) => {
        this.photos.show(ran.done, { gone: true });
        failed(error);
      });
    });
  }

  get entries(): readonly Entry[] {
    const { open } = this;
    const [only, ...others] = this.ids;
    const isOne = only !== undefined && !others.length;
    return [
      ...(open.mayEdit && isOne
        ? [{ label: t('albums.useAsCover'), icon: 'album', run: () => void useAsCover(open, only) } as const]
        : []),
      ...(open.mayAdd ? [{ label: t('albums.takeOut'), icon: 'close', run: () => void this.takeOut() } as const] : []),
    ];
  }
}

export async function useAsCover(open: OpenAlbum, imageId: string): Promise<void> {
  const before = open.album?.cover;
  try {
    await open.change({ coverImageId: imageId });
    const undo = () => void open.change({ coverImageId: before?.imageId ?? null }).catch(failed);
    toasts.say(t('albums.coverChosen'), before ? undo : undefined);
  } catch (error) {
    failed(error);
  }
}
