/** What guests brought through a moderated link, until the host has decided: shown at once, told by the server later. */
import type { OpenAlbum } from '../albums/openAlbum.svelte';
import { putInto, takeOut } from '../albums/photoDeeds';
import { api, told } from '../api/client';
import { t } from '../i18n/i18n.svelte';
import { listOf, type Ask } from '../people/photosOf';
import { inParts, restoreMany, type Outcome } from '../photos/changes';
import type { ImageList } from '../photos/imageList.svelte';
import type { Selection } from '../photos/selection.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';

export type Verdict = 'approve' | 'reject';
const quietly: (done: number) => void = () => {};

export class Queue {
  readonly list: ImageList;
  /** What was decided here: an answer that was under way before does not bring it back. */
  readonly #decided = new Set<string>();

  constructor(
    readonly open: OpenAlbum,
    readonly selection: Selection,
  ) {
    const params = { path: { albumId: open.id } };
    const ask: Ask = async (cursor, limit) => {
      const query = { limit, ...(cursor !== undefined && { cursor }) };
      const page = await told(api.GET('/api/albums/{albumId}/queue', { params: { ...params, query } }));
      return { ...page, images: page.images.filter(({ imageId }) => !this.#decided.has(imageId)) };
    };
    this.list = listOf(ask);
  }

  async renew(): Promise<void> {
    await this.list.renew();
    this.selection.drop([...this.selection.ids].filter((id) => this.list.indexOf(id) < 0));
  }

  async decide(verdict: Verdict, ids: readonly string[]): Promise<void> {
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
      failed(error);
    }
  }

  #send(verdict: Verdict, ids: readonly string[]): Promise<Outcome> {
    const params = { path: { albumId: this.open.id } };
    return inParts(ids, quietly, async (part) => {
      const body = verdict === 'approve' ? { approve: part, reject: [] } : { approve: [], reject: part };
      return (await told(api.POST('/api/albums/{albumId}/queue', { params, body }))).results;
    });
  }

  /** [Note: no way back] Nothing waits again once it is decided: what is offered instead is the other decision. */
  #settled(verdict: Verdict, { done, refused, message }: Outcome): void {
    const n = done.length;
    if (refused.length) {
      refused.forEach((id) => this.#decided.delete(id));
      toasts.say(t('hosting.notDecided', { n: refused.length, why: message ?? '' }));
      this.renew().catch(failed);
    }
    if (!n) return;
    if (verdict === 'approve') {
      toasts.offer(t('hosting.approved', { n }), t('hosting.takeBack'), () => void this.#takeBack(done));
    } else {
      toasts.offer(t('hosting.rejected', { n }), t('hosting.approveAfterAll'), () => void this.#bringBack(done));
    }
  }

  async #takeBack(ids: readonly string[]): Promise<void> {
    await takeOut(this.open.id, ids).then(({ done }) => {
      toasts.say(t('albums.takenOut', { n: done.length }));
    }, failed);
  }

  async #bringBack(ids: readonly string[]): Promise<void> {
    try {
      const { done } = await restoreMany(ids, quietly);
      const added = await putInto(this.open.id, done);
      toasts.say(t('hosting.approvedNow', { n: added.done.length }));
    } catch (error) {
      failed(error);
    }
  }

  #count(more: number): void {
    const { waiting } = this.open;
    if (waiting) this.open.waiting = { ...waiting, count: Math.max(0, waiting.count + more) };
  }
}
