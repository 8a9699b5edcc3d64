/** Removal of the open photo to the trash or from its album, with undo. */
import { addPhotos, removePhotos } from '../albums/albumRequests';
import type { OpenAlbum } from '../albums/openAlbum.svelte';
import { ApiError } from '../api/errors';
import { t, type Key } from '../i18n/i18n.svelte';
import { restoreMany, trashMany, type BulkOutcome } from '../photos/bulkChanges';
import { toastError, toasts } from '../ui/toasts.svelte';
import type { PhotoNavigation } from './photoNavigation.svelte';

const quietly = (): void => undefined;

/** Shows the next photo at once; the toast restores this one. */
async function removeWithUndo(
  navigation: PhotoNavigation,
  id: string,
  away: () => Promise<void>,
  back: () => Promise<void>,
  said: Key,
) {
  const leaving = navigation.leave(id);
  try {
    await away();
  } catch (error) {
    navigation.bringBack(id);
    toastError(error);
    return;
  }
  await leaving;
  toasts.say(t(said, { n: 1 }), () => void takeBack());

  async function takeBack() {
    try {
      await back();
    } catch (error) {
      toastError(error);
      return;
    }
    navigation.bringBack(id);
  }
}

export const trashPhoto = (navigation: PhotoNavigation, id: string): Promise<void> =>
  removeWithUndo(
    navigation,
    id,
    async () => checked(await trashMany([id], quietly)),
    async () => checked(await restoreMany([id], quietly)),
    'viewer.trashed',
  );

/** Removes the photo from the album that the viewer was opened from. */
export const removeFromAlbumAt = (album: OpenAlbum, navigation: PhotoNavigation, id: string): Promise<void> =>
  removeWithUndo(
    navigation,
    id,
    async () => checked(await removePhotos(album.id, [id])),
    async () => checked(await addPhotos(album.id, [id])),
    'albums.takenOut',
  );

function checked({ refused, message }: BulkOutcome): void {
  if (refused.length) throw new ApiError(409, '', message ?? '', null, {});
}

/** Restores an open photo from the trash. */
export async function restorePhoto(navigation: PhotoNavigation, id: string): Promise<void> {
  try {
    checked(await restoreMany([id], quietly));
    toasts.say(t('viewer.restored'));
    await navigation.leave(id);
  } catch (error) {
    toastError(error);
  }
}
