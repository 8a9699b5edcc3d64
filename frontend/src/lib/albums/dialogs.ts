/** What can be done with an album as a whole: entries of its menu, each with a dialog that is loaded when it opens. */
import type { Component } from 'svelte';
import { worded, type Key } from '../i18n/i18n.svelte';
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
export const DIALOGS: readonly AlbumDialog[] = [
  {
    name: 'members',
    label: 'albums.members',
    icon: 'people',
    isFor: () => true,
    load: () => import('./MembersDialog.svelte'),
  },
  {
    name: 'links',
    label: 'albums.links',
    icon: 'share',
    isFor: (open) => open.mayManage,
    load: () => worded('hosting', import('../hosting/LinksDialog.svelte')),
  },
  {
    name: 'edit',
    label: 'albums.edit',
    icon: 'edit',
    isFor: (open) => open.mayEdit,
    load: () => import('./EditDialog.svelte'),
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
    load: () => import('./LeaveDialog.svelte'),
  },
  {
    name: 'delete',
    label: 'albums.delete',
    icon: 'trash',
    isFor: (open) => open.mayManage,
    load: () => import('./DeleteDialog.svelte'),
    danger: true,
  },
];
