/** Store of the download that is asked about and of those running. */
import { api, unwrap } from '../api/client';
import type { Archive } from '../api/types';
import { bytes, t } from '../i18n/i18n.svelte';
import type { SearchQuery } from '../search/searchFilters';
import { startDownload } from '../ui/saveFile';
import { toasts } from '../ui/toasts.svelte';
import { canWriteFiles, pickFile } from './fileSink';
import { browserEnvironment, ResumableDownload } from './resumableDownload.svelte';

export interface RunningDownload {
  readonly id: string;
  readonly title: string;
  readonly saving: ResumableDownload;
}

const LARGE = 100_000_000; // bytes: smaller archives need no progress

let asked = $state.raw<DownloadRequest | null>(null);
let all = $state.raw<readonly RunningDownload[]>([]);

export const downloads = {
  get asked(): DownloadRequest | null {
    return asked;
  },
  get all(): readonly RunningDownload[] {
    return all;
  },
  ask(wanted: DownloadRequest): void {
    asked = wanted;
  },
  endAsking(): void {
    asked = null;
  },
  /** Large archives are written by the page if the browser allows it; others are downloaded by the browser. */
  async start(archive: Archive, { title }: DownloadRequest): Promise<void> {
    if (archive.bytes < LARGE || !canWriteFiles()) {
      startDownload(archive.url);
      toasts.say(t('download.coming', { n: archive.photos, size: bytes(archive.bytes) }));
      return;
    }
    const name = fileName(title, t('download.photos'));
    const sink = await pickFile(name);
    if (!sink) return;
    const saving = new ResumableDownload(`/api/archives/${archive.archiveId}`, sink, archive.bytes, browserEnvironment);
    all = [...all, { id: crypto.randomUUID(), title: name, saving }];
    void saving.run();
  },
  drop(id: string): void {
    all = all.filter((each) => each.id !== id);
  },
};

/** Leaving the page would end a download that the page writes. */
addEventListener('beforeunload', (event) => {
  if (all.some(({ saving }) => !saving.isOver)) event.preventDefault();
});

export type ArchiveSource =
  | { readonly ids: string[] }
  | { readonly albumId: string }
  | { readonly personId: string }
  | { readonly search: SearchQuery };

export interface DownloadRequest {
  readonly source: ArchiveSource;
  /** Name of the album or person; empty for a selection. */
  readonly title: string;
}

export type ArchiveSize = 'original' | 'large';
export const SIZES: readonly ArchiveSize[] = ['original', 'large'];
export const MAX_ARCHIVE_PHOTOS = 10_000; // photos in one request

const KEY = 'sparks.downloadSize';

/** Size chosen last in this browser. */
export const savedSize = (): ArchiveSize => (localStorage.getItem(KEY) === 'large' ? 'large' : 'original');
export const saveSize = (size: ArchiveSize): void => localStorage.setItem(KEY, size);

export const planArchive = (source: ArchiveSource, size: ArchiveSize, signal: AbortSignal): Promise<Archive> =>
  unwrap(api.POST('/api/archives', { body: { ...source, size }, signal }));

/** File name that every system accepts; the server uses the same. */
export const fileName = (title: string, otherwise: string): string =>
  `${(title || otherwise).replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim() || otherwise}.zip`;
