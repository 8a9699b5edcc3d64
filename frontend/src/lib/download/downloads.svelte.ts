/** What this page is taking home: what is asked about, and what is on its way. */
import type { Archive } from '../api/shapes';
import { bytes, t } from '../i18n/i18n.svelte';
import { toasts } from '../ui/toasts.svelte';
import { fileName, followLink, type Wanted } from './archive';
import { canWriteFiles, chooseFile } from './file';
import { browser, Saving } from './saving.svelte';

export interface Running {
  readonly id: string;
  readonly title: string;
  readonly saving: Saving;
}

const LARGE = 100_000_000; // bytes: a smaller one is there before anybody has looked at how far it is

let asked = $state.raw<Wanted | null>(null);
let all = $state.raw<readonly Running[]>([]);

export const downloads = {
  get asked(): Wanted | null {
    return asked;
  },
  get all(): readonly Running[] {
    return all;
  },
  ask(wanted: Wanted): void {
    asked = wanted;
  },
  endAsking(): void {
    asked = null;
  },
  /** What is large is written by the page, where browsers let it; all else is theirs to download. */
  async start(archive: Archive, { title }: Wanted): Promise<void> {
    if (archive.bytes < LARGE || !canWriteFiles()) {
      followLink(archive.url);
      toasts.say(t('download.coming', { n: archive.photos, size: bytes(archive.bytes) }));
      return;
    }
    const name = fileName(title, t('download.photos'));
    const sink = await chooseFile(name);
    if (!sink) return;
    const saving = new Saving(`/api/archives/${archive.archiveId}`, sink, archive.bytes, browser);
    all = [...all, { id: crypto.randomUUID(), title: name, saving }];
    void saving.run();
  },
  drop(id: string): void {
    all = all.filter((each) => each.id !== id);
  },
};

/** Whoever leaves the page ends what it writes. */
addEventListener('beforeunload', (event) => {
  if (all.some(({ saving }) => !saving.isOver)) event.preventDefault();
});
