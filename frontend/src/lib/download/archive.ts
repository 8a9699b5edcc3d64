/** What is taken home as one file, and how large it is: asked of the server before a byte of it is sent. */
import { api, told } from '../api/client';
import type { Archive } from '../api/shapes';
import type { Asked } from '../search/filters';

export type Source =
  | { readonly ids: string[] }
  | { readonly albumId: string }
  | { readonly personId: string }
  | { readonly search: Asked };

export interface Wanted {
  readonly source: Source;
  /** What the album or the person is called; empty for a selection. */
  readonly title: string;
}

export type Size = 'original' | 'large';
export const SIZES: readonly Size[] = ['original', 'large'];
export const MOST = 10_000; // photos that can be named at once

const KEY = 'sparks.downloadSize';

/** What was chosen last in this browser. */
export const keptSize = (): Size => (localStorage.getItem(KEY) === 'large' ? 'large' : 'original');
export const keepSize = (size: Size): void => localStorage.setItem(KEY, size);

export const planArchive = (source: Source, size: Size, signal: AbortSignal): Promise<Archive> =>
  told(api.POST('/api/archives', { body: { ...source, size }, signal }));

/** A file name that every system takes; the server calls the file so too. */
export const fileName = (title: string, otherwise: string): string =>
  `${(title || otherwise).replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim() || otherwise}.zip`;

/** Handed to the browser, which shows how far it is and goes on after a break by itself. */
export function followLink(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
