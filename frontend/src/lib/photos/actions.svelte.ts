/** What is done with the photos that are picked: shown at once, taken back where it fails, and by `undo`. */
import { ApiError } from '../api/errors';
import { t, type Key } from '../i18n/i18n.svelte';
import { askDownload } from '../download/ask';
import { session } from '../session.svelte';
import { toasts } from '../ui/toasts.svelte';
import { changeMany, restoreMany, trashMany, undoMany } from './changes';
import type { Changeable, Outcome, Shown, Wish } from './changes';
import { downloadOne } from './download';
import type { Selection } from './selection.svelte';

export type Ask = (progress: (done: number) => void) => Promise<Outcome>;
export interface Ran {
  readonly done: readonly string[];
  readonly outcome: Outcome;
  /** Shows the photos as they were. */
  readonly back: () => void;
}

export class Actions {
  /** How many photos of how many; null while nothing is under way. */
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);

  constructor(
    readonly selection: Selection,
    readonly photos: Changeable,
  ) {}

  get ids(): string[] {
    return [...this.selection.ids];
  }

  get isFavorite(): boolean {
    return this.selection.size > 0 && this.ids.every((id) => this.photos.isFavorite(id));
  }

  favourite(): Promise<void> {
    const favorite = !this.isFavorite;
    return this.#change({ favorite }, favorite ? 'selection.favourited' : 'selection.unfavourited', { favorite });
  }

  showTo(visibility: 'community' | 'private'): Promise<void> {
    return this.#change({ visibility }, visibility === 'private' ? 'selection.nowPrivate' : 'selection.nowShared');
  }

  tag(wish: Pick<Wish, 'addTags' | 'removeTags'>): Promise<void> {
    return this.#change(wish, wish.addTags ? 'selection.tagged' : 'selection.untagged');
  }

  async trash(): Promise<void> {
    const { ids } = this;
    this.selection.clear();
    const ran = await this.run(ids, { gone: true }, (progress) => trashMany(ids, progress));
    if (ran) toasts.say(t('selection.trashed', { n: ran.done.length }), () => void this.#restore(ran));
  }

  download(): void {
    const { ids } = this;
    const [only, ...others] = ids;
    if (only !== undefined && !others.length) downloadOne(only);
    else void askDownload({ source: { ids }, title: '' });
  }

  async #restore({ done, back }: Ran): Promise<void> {
    back();
    const restored = await this.run(done, null, (progress) => restoreMany(done, progress));
    if (!restored) this.photos.show(done, { gone: true });
  }

  async #change(wish: Wish, told: Key, shown: Shown | null = null): Promise<void> {
    const { ids } = this;
    const ran = await this.run(ids, shown, (progress) => changeMany(ids, wish, progress));
    if (!ran) return;
    this.selection.clear();
    const undo = () => {
      ran.back();
      undoMany(ran.outcome).catch(failed);
    };
    toasts.say(t(told, { n: ran.done.length }), ran.outcome.undo.length ? undo : undefined);
  }

  /** Shows it, asks for it, and shows what was refused as it was; null where nothing was done. */
  protected async run(ids: readonly string[], shown: Shown | null, ask: Ask): Promise<Ran | null> {
    let back = this.#show(ids, shown);
    this.progress = { done: 0, total: ids.length };
    try {
      const outcome = await ask((done) => (this.progress = { done, total: ids.length }));
      if (outcome.refused.length) {
        back();
        back = this.#show(outcome.done, shown);
        toasts.say(t('selection.refused', { n: outcome.refused.length, why: outcome.message ?? '' }));
      }
      return outcome.done.length ? { done: outcome.done, outcome, back } : null;
    } catch (error) {
      back();
      failed(error);
      return null;
    } finally {
      this.progress = null;
    }
  }

  #show(ids: readonly string[], shown: Shown | null): () => void {
    return shown && ids.length ? this.photos.show(ids, shown) : () => {};
  }
}

function failed(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) session.isOver();
  else toasts.fail(error);
}
