/** Registry of an album's menu entries, each with a dialog loaded on demand. */
import type { Component } from 'svelte';
import { withMessages, type Key } from '../i18n/i18n.svelte';
import type { IconName } from '../ui/icons';
import type { OpenAlbum } from './openAlbum.svelte';

export interface AlbumDialog {
  readonly name: string;
  readonly label: Key;
  readonly icon: IconName;
  readonly isFor: (open: OpenAlbum) => boolean;
  readonly load: () => Promise<{ default: Component<{ open: OpenAlbum; onclose: () => void }> }>;
  readonly danger?: boolean;
}

/** In the order of the menu. */
export const ALBUM_DIALOGS: readonly AlbumDialog[] = [
  {
    name: 'members',
    label: 'albums.members',
    icon: 'people',
    isFor: () => true,
    load: () => import('./AlbumMembersDialog.svelte'),
  },
  {
    name: 'links',
    label: 'albums.links',
    icon: 'share',
    isFor: (open) => open.mayManage,
    load: () => withMessages('share-links', import('../share-links/ShareLinksDialog.svelte')),
  },
  {
    name: 'edit',
    label: 'albums.edit',
    icon: 'edit',
    isFor: (open) => open.mayEdit,
    load: () => import('./AlbumFormDialog.svelte'),
  },
  {
    name: 'cover',
    label: 'albums.chooseCover',
    icon: 'photos',
    isFor: (open) => open.mayEdit && !!open.album?.photoCount,
    load: () => import('./CoverDialog.svelte'),
  },
  {
    name: 'leave',
    label: 'albums.leave',
    icon: 'signOut',
    isFor: (open) => !open.mayManage,
    load: () => import('./LeaveAlbumDialog.svelte'),
  },
  {
    name: 'delete',
    label: 'albums.delete',
    icon: 'trash',
    isFor: (open) => open.mayManage,
    load: () => import('./DeleteAlbumDialog.svelte'),
    danger: true,
  },
];
