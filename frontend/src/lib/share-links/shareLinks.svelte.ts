/** Store of an album's share links: make, change and revoke. */
import { api, unwrap } from '../api/client';
import type { ShareLink } from '../api/types';
import { Resource } from '../ui/resource.svelte';
import { linkChangeRequest, newLinkRequest, type LinkSettings } from './linkSettings';
import { removeStoredLink, storeLink, storeLinkPassword, type StoredLink } from './storedLinks';

export class ShareLinks extends Resource<readonly ShareLink[]> {
  constructor(readonly albumId: string) {
    super(() => linksOf(albumId));
  }

  /** Makes a link; its secret is in this response only. */
  async make(settings: LinkSettings): Promise<StoredLink> {
    const { link, storedLink } = await makeLink(this.albumId, settings);
    this.value = [link, ...(this.value ?? [])];
    return storedLink;
  }

  async change(link: ShareLink, settings: LinkSettings): Promise<void> {
    const body = linkChangeRequest(link, settings);
    const now = await unwrap(api.PATCH('/api/albums/{albumId}/links/{linkId}', { params: this.#at(link), body }));
    if ('password' in body) storeLinkPassword(link.linkId, body.password ?? null);
    this.value = (this.value ?? []).map((each) => (each.linkId === link.linkId ? now : each));
  }

  async revoke(link: ShareLink): Promise<void> {
    await unwrap(api.DELETE('/api/albums/{albumId}/links/{linkId}', { params: this.#at(link) }));
    removeStoredLink(link.linkId);
    this.drop(link);
  }

  /** Removes a link that no longer exists from the list. */
  drop({ linkId }: ShareLink): void {
    this.value = (this.value ?? []).filter((each) => each.linkId !== linkId);
  }

  #at({ linkId }: ShareLink) {
    return { path: { albumId: this.albumId, linkId } };
  }
}

export async function linksOf(albumId: string): Promise<readonly ShareLink[]> {
  return (await unwrap(api.GET('/api/albums/{albumId}/links', { params: { path: { albumId } } }))).links;
}

export async function makeLink(
  albumId: string,
  settings: LinkSettings,
): Promise<{ link: ShareLink; storedLink: StoredLink }> {
  const wish = newLinkRequest(settings);
  const params = { path: { albumId } };
  const link = await unwrap(api.POST('/api/albums/{albumId}/links', { params, body: wish }));
  return { link, storedLink: storeLink(link, wish.password ?? null) };
}
