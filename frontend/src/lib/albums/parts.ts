/** The parts of an album's page besides its photos, each with an address of its own: loaded when it is opened. */
import type { Component } from 'svelte';
import { number, worded, type Key } from '../i18n/i18n.svelte';
import type { OpenAlbum } from './openAlbum.svelte';

export interface AlbumPart {
  /** The last word of its address. */
  readonly name: string;
  readonly label: Key;
  readonly isFor: (open: OpenAlbum) => boolean;
  /** Whether there is anything in it, or may be; without it, always. */
  readonly isUsed?: (open: OpenAlbum) => boolean;
  /** How much is in it, where that matters. */
  readonly count?: (open: OpenAlbum) => string;
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
  {
    name: 'waiting',
    label: 'albums.waiting',
    isFor: (open) => open.mayManage,
    isUsed: ({ waiting }) => !!waiting && (waiting.isExpected || waiting.count > 0),
    count: ({ waiting }) => (waiting?.count ? number(waiting.count) : ''),
    load: () => worded('hosting', import('../hosting/Waiting.svelte')),
  },
];
