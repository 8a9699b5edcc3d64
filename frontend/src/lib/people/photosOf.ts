/** The photos of somebody, of two together, or of oneself: in a list that stays where it is when who is who changes. */
import { api, told } from '../api/client';
import type { Image } from '../api/shapes';
import { asMarked, ImageList, type ListPage } from '../photos/imageList.svelte';

export type Ask = (cursor: string | undefined, limit: number) => Promise<ListPage>;

const PAGE = 100;
const MOST = 500; // that the server tells at once

export const photosOf =
  (personId: string, other: string | null): Ask =>
  (cursor, limit) => {
    const query = { limit, ...(cursor !== undefined && { cursor }), ...(other !== null && { with: other }) };
    return told(api.GET('/api/persons/{personId}/photos', { params: { path: { personId }, query } }));
  };

export const photosWithMe: Ask = (cursor, limit) =>
  told(api.GET('/api/me/photos-with-me', { params: { query: { limit, ...(cursor !== undefined && { cursor }) } } }));

export const listOf = (ask: Ask): ImageList => new ImageList((cursor) => ask(cursor, PAGE));

/** As much as is shown, anew; what was loaded behind that stays. */
export async function renew(list: ImageList, ask: Ask): Promise<void> {
  if (list.count <= PAGE) return list.reset();
  const wanted = list.count;
  let page = await asMarked(ask(undefined, Math.min(MOST, wanted)));
  let images = page.images;
  while (page.lastEvaluatedKey && images.length < wanted) {
    page = await asMarked(ask(page.lastEvaluatedKey, Math.min(MOST, wanted - images.length)));
    images = [...images, ...page.images];
  }
  const last = list.indexOf(images.at(-1)?.imageId ?? '');
  if (last < 0) return list.reset();
  const shown = new Set(images.map(({ imageId }) => imageId));
  list.images = [...images, ...list.images.slice(last + 1).filter(({ imageId }) => !shown.has(imageId))];
}

/** Who else is in these photos, those who are in most first. */
export function companions(images: readonly Image[], personId: string, most: number): string[] {
  const counts = new Map<string, number>();
  for (const id of images.flatMap(({ persons }) => persons)) counts.set(id, (counts.get(id) ?? 0) + 1);
  counts.delete(personId);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([id]) => id);
}
