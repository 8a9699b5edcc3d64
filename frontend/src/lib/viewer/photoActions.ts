/** Actions and shortcuts for the open photo. */
import { setCover } from '../albums/albumPhotoActions.svelte';
import { t } from '../i18n/i18n.svelte';
import { copyText } from '../ui/clipboard';
import type { Shortcut } from '../ui/shortcuts.svelte';
import { toastError, toasts } from '../ui/toasts.svelte';
import type { PhotoView } from './photoView.svelte';
import { restorePhoto, removeFromAlbumAt, trashPhoto } from './removePhoto';
import { infoPanel, viewer, type LeaveAction } from './viewerState.svelte';
import type { PhotoAction } from './ViewerToolbar.svelte';

/** Actions that need the viewer component. */
export interface ViewerCallbacks {
  readonly download: () => void;
  readonly addToAlbum: () => void;
  readonly openComments: () => void;
  readonly playPhoto: () => void;
}

export function photoActionsOf(photoView: PhotoView, callbacks: ViewerCallbacks): readonly PhotoAction[] {
  const { image, isFull, slideshow } = photoView;
  return [
    ...viewer.leaveActions.map((way) => ({
      ...way,
      label: t(way.label),
      isNear: true,
      run: () => void leaveBy(photoView, way),
    })),
    favoriteAction(photoView),
    {
      icon: 'share',
      label: t('viewer.share'),
      isNear: true,
      run: () => void sharePhoto(image?.title ?? '', image?.visibility === 'private'),
    },
    ...commentActions(photoView, callbacks),
    { icon: 'download', label: t('viewer.download'), run: callbacks.download },
    ...albumActions(photoView, callbacks),
    {
      icon: slideshow.isOn ? 'pause' : 'play',
      label: t(slideshow.isOn ? 'viewer.pause' : 'viewer.play'),
      run: () => photoView.play(),
    },
    ...boxActions(photoView),
    {
      icon: isFull ? 'shrink' : 'expand',
      label: t(isFull ? 'viewer.notFull' : 'viewer.full'),
      run: () => photoView.fill(),
    },
    { icon: 'info', label: t('viewer.info'), isOn: infoPanel.isOpen, isNear: true, run: () => infoPanel.toggle() },
    ...trashActions(photoView),
  ];
}

export function photoShortcutsOf(photoView: PhotoView, callbacks: ViewerCallbacks): readonly Shortcut[] {
  const { zoomPan } = photoView;
  return [
    ...viewer.leaveActions.map((way) => ({ key: way.key, does: way.label, run: () => void leaveBy(photoView, way) })),
    { key: 'ArrowRight', does: 'viewer.next', run: () => photoView.step(1) },
    { key: 'ArrowLeft', does: 'viewer.before', run: () => photoView.step(-1) },
    { key: '+', does: 'viewer.zoomIn', run: () => zoomPan.zoom(zoomPan.view.at.scale * 1.6) },
    { key: '-', does: 'viewer.zoomOut', run: () => zoomPan.zoom(zoomPan.view.at.scale / 1.6) },
    { key: '0', does: 'viewer.zoomOff', run: () => zoomPan.zoom(1) },
    { key: 'ArrowUp', does: 'viewer.moveUp', run: () => zoomPan.nudge({ x: 0, y: 1 }) },
    { key: 'ArrowDown', does: 'viewer.moveDown', run: () => zoomPan.nudge({ x: 0, y: -1 }) },
    { key: ' ', does: 'viewer.roll', run: callbacks.playPhoto },
    { key: 'f', does: 'viewer.favorite', run: () => favoriteAction(photoView).run() },
    { key: 'i', does: 'viewer.info', run: () => infoPanel.toggle() },
    { key: 'b', does: 'viewer.boxes', run: () => (photoView.allBoxes = !photoView.allBoxes) },
    { key: 'd', does: 'viewer.download', run: callbacks.download },
    { key: 's', does: 'viewer.play', run: () => photoView.play() },
    { key: 'F', does: 'viewer.full', run: () => photoView.fill() },
    { key: 'Delete', does: 'viewer.trash', run: () => discard(photoView) },
    { key: 'Escape', does: 'ui.close', run: () => photoView.escape() },
  ];
}

async function leaveBy({ photo, navigation }: PhotoView, { run }: LeaveAction): Promise<void> {
  await navigation.leave(photo.id);
  run(photo.id);
}

function favoriteAction({ photo, isFavorite }: PhotoView): PhotoAction {
  return {
    icon: 'heart',
    label: t(isFavorite ? 'viewer.unfavorite' : 'viewer.favorite'),
    isOn: isFavorite,
    isFilled: isFavorite,
    isNear: true,
    run: () => void photo.setFavorite(!isFavorite),
  };
}

function commentActions(
  { photoComments }: PhotoView,
  { openComments: speak }: ViewerCallbacks,
): readonly PhotoAction[] {
  if (!photoComments) return [];
  const { isLiked } = photoComments;
  return [
    {
      icon: 'like',
      label: t(isLiked ? 'albums.unlike' : 'albums.like'),
      isOn: isLiked,
      isFilled: isLiked,
      isNear: true,
      run: () => void photoComments.like(!isLiked),
    },
    { icon: 'comment', label: t('albums.say'), isNear: true, run: speak },
  ];
}

function albumActions(
  { photo, image, navigation }: PhotoView,
  { addToAlbum }: ViewerCallbacks,
): readonly PhotoAction[] {
  const { album } = viewer;
  const actions: PhotoAction[] = [];
  if (image && !image.trashedAt) {
    actions.push({ icon: 'plus', label: t('selection.addToAlbum'), isRare: true, run: addToAlbum });
  }
  if (album?.mayEdit) {
    const run = () => void setCover(album, photo.id);
    actions.push({ icon: 'album', label: t('albums.useAsCover'), isRare: true, run });
  }
  if (album && (album.mayEdit || photo.isOwn)) {
    const run = () => void removeFromAlbumAt(album, navigation, photo.id);
    actions.push({ icon: 'close', label: t('albums.takeOut'), isRare: true, run });
  }
  return actions;
}

function boxActions(photoView: PhotoView): readonly PhotoAction[] {
  const { photoFaces, isVideo, allBoxes } = photoView;
  if (!photoFaces.faces.length || isVideo) return [];
  return [
    { icon: 'faces', label: t('viewer.boxes'), isOn: allBoxes, run: () => void (photoView.allBoxes = !allBoxes) },
  ];
}

function trashActions(photoView: PhotoView): readonly PhotoAction[] {
  const { photo, image, navigation } = photoView;
  if (!photo.isOwn) return [];
  if (!image?.trashedAt)
    return [{ icon: 'trash', label: t('viewer.trash'), isNear: true, run: () => discard(photoView) }];
  return [
    { icon: 'restore', label: t('viewer.restore'), isNear: true, run: () => void restorePhoto(navigation, photo.id) },
  ];
}

function discard({ photo, image, navigation }: PhotoView): void {
  if (photo.isOwn && !image?.trashedAt) void trashPhoto(navigation, photo.id);
}

/** Shares or copies the address of the open photo, which members can open. */
export async function sharePhoto(title: string, isPrivate: boolean): Promise<void> {
  const url = location.href;
  try {
    if ('share' in navigator && !isPrivate) await navigator.share({ url, ...(title && { title }) });
    else {
      await copyText(url);
      toasts.say(t(isPrivate ? 'viewer.copiedPrivate' : 'viewer.copiedLink'));
    }
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) toastError(error);
  }
}
