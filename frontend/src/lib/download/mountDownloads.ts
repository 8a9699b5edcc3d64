/** Mounts the download panel once and hands it a request. */
import { mount } from 'svelte';
import DownloadPanel from './DownloadPanel.svelte';
import { type DownloadRequest, downloads } from './downloadStore.svelte';

let isThere = false;

export function mountDownload(wanted: DownloadRequest): void {
  if (!isThere) mount(DownloadPanel, { target: document.body });
  isThere = true;
  downloads.ask(wanted);
}
