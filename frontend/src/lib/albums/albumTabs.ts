/** Registry of the tabs of an album page, loaded on demand. */
import type { Component } from 'svelte';
import { number, withMessages, type Key } from '../i18n/i18n.svelte';
import type { OpenAlbum } from './openAlbum.svelte';

export interface AlbumTab {
  /** Last part of its address. */
  readonly name: string;
  readonly label: Key;
  readonly isFor: (open: OpenAlbum) => boolean;
  /** Whether it has content, or may get some; default: always. */
  readonly isUsed?: (open: OpenAlbum) => boolean;
  /** Number of its items, if that matters. */
  readonly count?: (open: OpenAlbum) => string;
  readonly load: () => Promise<{ default: Component<{ open: OpenAlbum }> }>;
}

/** In the order of the tabs, after the photos. */
export const ALBUM_TABS: readonly AlbumTab[] = [
  {
    name: 'comments',
    label: 'albums.comments',
    isFor: () => true,
    load: () => import('../comments/AlbumComments.svelte'),
  },
  {
    name: 'waiting',
    label: 'albums.waiting',
    isFor: (open) => open.mayManage,
    isUsed: ({ pending }) => !!pending && (pending.isExpected || pending.count > 0),
    count: ({ pending }) => (pending?.count ? number(pending.count) : ''),
    load: () => withMessages('share-links', import('../moderation/PendingPhotos.svelte')),
  },
];
