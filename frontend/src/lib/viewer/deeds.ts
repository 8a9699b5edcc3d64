/** What can be done with the photo that is looked at: by the buttons around it, and by keys. */
import { useAsCover } from '../albums/albumActions.svelte';
import type { Shortcut } from '../frame/keys.svelte';
import { t } from '../i18n/i18n.svelte';
import { panel } from './panel.svelte';
import { share } from './share';
import type { Deed } from './Toolbar.svelte';
import { restore, takeOutOf, throwAway } from './trash';
import { viewer, type Leaving } from './viewer.svelte';
import type { Viewing } from './viewing.svelte';

/** What only the page itself can do. */
export interface Hands {
  readonly download: () => void;
  readonly addToAlbum: () => void;
  readonly speak: () => void;
  readonly roll: () => void;
}

export function deedsOf(viewing: Viewing, hands: Hands): readonly Deed[] {
  const { image, isFull, show } = viewing;
  return [
    ...viewer.leavings.map((way) => ({
      ...way,
      label: t(way.label),
      isNear: true,
      run: () => void part(viewing, way),
    })),
    favour(viewing),
    {
      icon: 'share',
      label: t('viewer.share'),
      isNear: true,
      run: () => void share(image?.title ?? '', image?.visibility === 'private'),
    },
    ...talking(viewing, hands),
    { icon: 'download', label: t('viewer.download'), run: hands.download },
    ...inAlbums(viewing, hands),
    {
      icon: show.isOn ? 'pause' : 'play',
      label: t(show.isOn ? 'viewer.pause' : 'viewer.play'),
      run: () => viewing.play(),
    },
    ...boxes(viewing),
    {
      icon: isFull ? 'shrink' : 'expand',
      label: t(isFull ? 'viewer.notFull' : 'viewer.full'),
      run: () => viewing.fill(),
    },
    { icon: 'info', label: t('viewer.info'), isOn: panel.isOpen, isNear: true, run: () => panel.toggle() },
    ...trashing(viewing),
  ];
}

export function keysOf(viewing: Viewing, hands: Hands): readonly Shortcut[] {
  const { stage } = viewing;
  return [
    ...viewer.leavings.map((way) => ({ key: way.key, does: way.label, run: () => void part(viewing, way) })),
    { key: 'ArrowRight', does: 'viewer.next', run: () => viewing.step(1) },
    { key: 'ArrowLeft', does: 'viewer.before', run: () => viewing.step(-1) },
    { key: '+', does: 'viewer.zoomIn', run: () => stage.zoom(stage.view.at.scale * 1.6) },
    { key: '-', does: 'viewer.zoomOut', run: () => stage.zoom(stage.view.at.scale / 1.6) },
    { key: '0', does: 'viewer.zoomOff', run: () => stage.zoom(1) },
    { key: 'ArrowUp', does: 'viewer.moveUp', run: () => stage.nudge({ x: 0, y: 1 }) },
    { key: 'ArrowDown', does: 'viewer.moveDown', run: () => stage.nudge({ x: 0, y: -1 }) },
    { key: ' ', does: 'viewer.roll', run: hands.roll },
    { key: 'f', does: 'viewer.favour', run: () => favour(viewing).run() },
    { key: 'i', does: 'viewer.info', run: () => panel.toggle() },
    { key: 'b', does: 'viewer.boxes', run: () => (viewing.allBoxes = !viewing.allBoxes) },
    { key: 'd', does: 'viewer.download', run: hands.download },
    { key: 's', does: 'viewer.play', run: () => viewing.play() },
    { key: 'F', does: 'viewer.full', run: () => viewing.fill() },
    { key: 'Delete', does: 'viewer.trash', run: () => discard(viewing) },
    { key: 'Escape', does: 'ui.close', run: () => viewing.escape() },
  ];
}

async function part({ photo, walk }: Viewing, { run }: Leaving): Promise<void> {
  await walk.leave(photo.id);
  run(photo.id);
}

function favour({ photo, isFavourite }: Viewing): Deed {
  return {
    icon: 'heart',
    label: t(isFavourite ? 'viewer.unfavour' : 'viewer.favour'),
    isOn: isFavourite,
    isFilled: isFavourite,
    isNear: true,
    run: () => void photo.favour(!isFavourite),
  };
}

function talking({ talk }: Viewing, { speak }: Hands): readonly Deed[] {
  if (!talk) return [];
  const { isLiked } = talk;
  return [
    {
      icon: 'like',
      label: t(isLiked ? 'albums.unlike' : 'albums.like'),
      isOn: isLiked,
      isFilled: isLiked,
      isNear: true,
      run: () => void talk.like(!isLiked),
    },
    { icon: 'comment', label: t('albums.say'), isNear: true, run: speak },
  ];
}

function inAlbums({ photo, image, walk }: Viewing, { addToAlbum }: Hands): readonly Deed[] {
  const { album } = viewer;
  const deeds: Deed[] = [];
  if (image && !image.trashedAt) {
    deeds.push({ icon: 'plus', label: t('selection.addToAlbum'), isRare: true, run: addToAlbum });
  }
  if (album?.mayEdit) {
    const run = () => void useAsCover(album, photo.id);
    deeds.push({ icon: 'album', label: t('albums.useAsCover'), isRare: true, run });
  }
  if (album && (album.mayEdit || photo.isOwn)) {
    const run = () => void takeOutOf(album, walk, photo.id);
    deeds.push({ icon: 'close', label: t('albums.takeOut'), isRare: true, run });
  }
  return deeds;
}

function boxes(viewing: Viewing): readonly Deed[] {
  const { people, isVideo, allBoxes } = viewing;
  if (!people.faces.length || isVideo) return [];
  return [{ icon: 'faces', label: t('viewer.boxes'), isOn: allBoxes, run: () => void (viewing.allBoxes = !allBoxes) }];
}

function trashing(viewing: Viewing): readonly Deed[] {
  const { photo, image, walk } = viewing;
  if (!photo.isOwn) return [];
  if (!image?.trashedAt)
    return [{ icon: 'trash', label: t('viewer.trash'), isNear: true, run: () => discard(viewing) }];
  return [{ icon: 'restore', label: t('viewer.restore'), isNear: true, run: () => void restore(walk, photo.id) }];
}

function discard({ photo, image, walk }: Viewing): void {
  if (photo.isOwn && !image?.trashedAt) void throwAway(walk, photo.id);
}
