/** The links of an album, as its host makes, changes and revokes them. */
import { api, told } from '../api/client';
import type { ShareLink } from '../api/shapes';
import { Loaded } from '../forms/loaded.svelte';
import { forget, keep, keepPassword, type KeptLink } from './kept';
import { changeOf, wishOf, type Terms } from './terms';

export class Links extends Loaded<readonly ShareLink[]> {
  constructor(readonly albumId: string) {
    super(() => linksOf(albumId));
  }

  /** The new one with its secret, which is not told again. */
  async make(terms: Terms): Promise<KeptLink> {
    const { link, kept } = await makeLink(this.albumId, terms);
    this.value = [link, ...(this.value ?? [])];
    return kept;
  }

  async change(link: ShareLink, terms: Terms): Promise<void> {
    const body = changeOf(link, terms);
    const now = await told(api.PATCH('/api/albums/{albumId}/links/{linkId}', { params: this.#at(link), body }));
    if ('password' in body) keepPassword(link.linkId, body.password ?? null);
    this.value = (this.value ?? []).map((each) => (each.linkId === link.linkId ? now : each));
  }

  async revoke(link: ShareLink): Promise<void> {
    await told(api.DELETE('/api/albums/{albumId}/links/{linkId}', { params: this.#at(link) }));
    forget(link.linkId);
    this.drop(link);
  }

  /** It is not there any more. */
  drop({ linkId }: ShareLink): void {
    this.value = (this.value ?? []).filter((each) => each.linkId !== linkId);
  }

  #at({ linkId }: ShareLink) {
    return { path: { albumId: this.albumId, linkId } };
  }
}

export async function linksOf(albumId: string): Promise<readonly ShareLink[]> {
  return (await told(api.GET('/api/albums/{albumId}/links', { params: { path: { albumId } } }))).links;
}

export async function makeLink(albumId: string, terms: Terms): Promise<{ link: ShareLink; kept: KeptLink }> {
  const wish = wishOf(terms);
  const params = { path: { albumId } };
  const link = await told(api.POST('/api/albums/{albumId}/links', { params, body: wish }));
  return { link, kept: keep(link, wish.password ?? null) };
}
