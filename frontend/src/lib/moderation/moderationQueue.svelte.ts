/** Store of guests' uploads that wait, with approve and reject. A decision is shown before the server has confirmed it.
 */
import { addPhotos, removePhotos } from '../albums/albumRequests';
import type { OpenAlbum } from '../albums/openAlbum.svelte';
import { api, unwrap } from '../api/client';
import { t } from '../i18n/i18n.svelte';
import { inBatches, restoreMany, type BulkOutcome } from '../photos/bulkChanges';
import { pagedPhotos, type LoadPhotos } from '../photos/pagedPhotos.svelte';
import type { PagedPhotos } from '../photos/pagedPhotos.svelte';
import type { Selection } from '../ui/selection.svelte';
import { toastError, toasts } from '../ui/toasts.svelte';

export type ModerationDecision = 'approve' | 'reject';
const quietly: (done: number) => void = () => {};

export class ModerationQueue {
  readonly list: PagedPhotos;
  /** Photos decided here: an older response does not bring them back. */
  readonly #decided = new Set<string>();

  constructor(
    readonly open: OpenAlbum,
    readonly selection: Selection,
  ) {
    const params = { path: { albumId: open.id } };
    const ask: LoadPhotos = async (cursor, limit) => {
      const query = { limit, ...(cursor !== undefined && { cursor }) };
      const page = await unwrap(api.GET('/api/albums/{albumId}/queue', { params: { ...params, query } }));
      return { ...page, images: page.images.filter(({ imageId }) => !this.#decided.has(imageId)) };
    };
    this.list = pagedPhotos(ask);
  }

  async renew(): Promise<void> {
    await this.list.reload();
    this.selection.drop([...this.selection.ids].filter((id) => this.list.indexOf(id) < 0));
  }

  async decide(verdict: ModerationDecision, ids: readonly string[]): Promise<void> {
    if (!ids.length) return;
    const back = this.list.show(ids, { gone: true });
    ids.forEach((id) => this.#decided.add(id));
    this.selection.drop(ids);
    this.#count(-ids.length);
    try {
      this.#settled(verdict, await this.#send(verdict, ids));
    } catch (error) {
      ids.forEach((id) => this.#decided.delete(id));
      this.#count(ids.length);
      back();
      toastError(error);
    }
  }

  #send(verdict: ModerationDecision, ids: readonly string[]): Promise<BulkOutcome> {
    const params = { path: { albumId: this.open.id } };
    return inBatches(ids, quietly, async (part) => {
      const body = verdict === 'approve' ? { approve: part, reject: [] } : { approve: [], reject: part };
      return (await unwrap(api.POST('/api/albums/{albumId}/queue', { params, body }))).results;
    });
  }

  /** A decided upload cannot wait again: the toast offers the other decision instead. */
  #settled(verdict: ModerationDecision, { done, refused, message }: BulkOutcome): void {
    const n = done.length;
    if (refused.length) {
      refused.forEach((id) => this.#decided.delete(id));
      toasts.say(t('moderation.notDecided', { n: refused.length, why: message ?? '' }));
      this.renew().catch(toastError);
    }
    if (!n) return;
    if (verdict === 'approve') {
      toasts.offer(t('moderation.approved', { n }), t('moderation.takeBack'), () => void this.#takeBack(done));
    } else {
      toasts.offer(t('moderation.rejected', { n }), t('moderation.approveAfterAll'), () => void this.#bringBack(done));
    }
  }

  async #takeBack(ids: readonly string[]): Promise<void> {
    await removePhotos(this.open.id, ids).then(({ done }) => {
      toasts.say(t('albums.takenOut', { n: done.length }));
    }, toastError);
  }

  async #bringBack(ids: readonly string[]): Promise<void> {
    try {
      const { done } = await restoreMany(ids, quietly);
      const added = await addPhotos(this.open.id, done);
      toasts.say(t('moderation.approvedNow', { n: added.done.length }));
    } catch (error) {
      toastError(error);
    }
  }

  #count(more: number): void {
    const { pending } = this.open;
    if (pending) this.open.pending = { ...pending, count: Math.max(0, pending.count + more) };
  }
}
