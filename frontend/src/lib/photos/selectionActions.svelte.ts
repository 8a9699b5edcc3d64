/** Actions on selected photos: optimistic, with undo and progress. */
import { openDownload } from '../download/openDownload';
import { t, type Key } from '../i18n/i18n.svelte';
import { downloadOriginal } from '../ui/saveFile';
import type { Selection } from '../ui/selection.svelte';
import { toastError, toasts } from '../ui/toasts.svelte';
import {
  changeMany,
  restoreMany,
  trashMany,
  undoMany,
  type ChangeablePhotos,
  type BulkOutcome,
  type OptimisticChange,
  type PhotoChange,
} from './bulkChanges';

export type BulkRequest = (progress: (done: number) => void) => Promise<BulkOutcome>;
export interface ActionResult {
  readonly done: readonly string[];
  readonly outcome: BulkOutcome;
  /** Undoes the shown change. */
  readonly back: () => void;
}

export class SelectionActions {
  /** Null while no action runs. */
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);

  constructor(
    readonly selection: Selection,
    readonly photos: ChangeablePhotos,
  ) {}

  get ids(): string[] {
    return [...this.selection.ids];
  }

  get isFavorite(): boolean {
    return this.selection.size > 0 && this.ids.every((id) => this.photos.isFavorite(id));
  }

  toggleFavorite(): Promise<void> {
    const favorite = !this.isFavorite;
    return this.#change({ favorite }, favorite ? 'selection.favorited' : 'selection.unfavorited', { favorite });
  }

  setVisibility(visibility: 'community' | 'private'): Promise<void> {
    return this.#change({ visibility }, visibility === 'private' ? 'selection.nowPrivate' : 'selection.nowShared');
  }

  tag(wish: Pick<PhotoChange, 'addTags' | 'removeTags'>): Promise<void> {
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
    if (only !== undefined && !others.length) downloadOriginal(only);
    else void openDownload({ source: { ids }, title: '' });
  }

  async #restore({ done, back }: ActionResult): Promise<void> {
    back();
    const restored = await this.run(done, null, (progress) => restoreMany(done, progress));
    if (!restored) this.photos.show(done, { gone: true });
  }

  async #change(wish: PhotoChange, told: Key, shown: OptimisticChange | null = null): Promise<void> {
    const { ids } = this;
    const ran = await this.run(ids, shown, (progress) => changeMany(ids, wish, progress));
    if (!ran) return;
    this.selection.clear();
    const undo = () => {
      ran.back();
      undoMany(ran.outcome).catch(toastError);
    };
    toasts.say(t(told, { n: ran.done.length }), ran.outcome.undo.length ? undo : undefined);
  }

  /** Shows the change, requests it, and undoes it for refused photos; null if none was changed. */
  protected async run(
    ids: readonly string[],
    shown: OptimisticChange | null,
    ask: BulkRequest,
  ): Promise<ActionResult | null> {
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
      toastError(error);
      return null;
    } finally {
      this.progress = null;
    }
  }

  #show(ids: readonly string[], shown: OptimisticChange | null): () => void {
    return shown && ids.length ? this.photos.show(ids, shown) : () => {};
  }
}
