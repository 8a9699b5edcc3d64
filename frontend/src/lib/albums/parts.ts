/** The parts of an album's page besides its photos, each with an address of its own: loaded when it is opened. */
import type { Component } from 'svelte';
import type { Key } from '../i18n/i18n.svelte';
import type { OpenAlbum } from './openAlbum.svelte';

export interface AlbumPart {
  /** The last word of its address. */
  readonly name: string;
  readonly label: Key;
  readonly isFor: (open: OpenAlbum) => boolean;
  readonly load: () => Promise<{ default: Component<{ open: OpenAlbum }> }>;
}

/** In the order of the tabs, behind the photos. */
export const PARTS: readonly AlbumPart[] = [
  {
    name: 'comments',
    label: 'albums.comments',
    isFor: () => true,
    load: () => import('./Comments.svelte'),
  },
];
