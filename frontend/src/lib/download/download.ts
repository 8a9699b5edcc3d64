/** The way in for pages: asks what is wanted, in which size, and takes it home whatever page is open meanwhile. */
import { mount } from 'svelte';
import type { Wanted } from './archive';
import { downloads } from './downloads.svelte';
import Downloads from './Downloads.svelte';

let isThere = false;

export function download(wanted: Wanted): void {
  if (!isThere) mount(Downloads, { target: document.body });
  isThere = true;
  downloads.ask(wanted);
}
