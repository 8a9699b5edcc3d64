/** The photos of somebody, of two together, or of oneself. */
import { api, told } from '../api/client';
import type { Image } from '../api/shapes';
import { ImageList, type ListPage } from '../photos/imageList.svelte';

export type Ask = (cursor: string | undefined, limit: number) => Promise<ListPage>;

const PAGE = 100;

export const photosOf =
  (personId: string, other: string | null): Ask =>
  (cursor, limit) => {
    const query = { limit, ...(cursor !== undefined && { cursor }), ...(other !== null && { with: other }) };
    return told(api.GET('/api/persons/{personId}/photos', { params: { path: { personId }, query } }));
  };

export const photosWithMe: Ask = (cursor, limit) =>
  told(api.GET('/api/me/photos-with-me', { params: { query: { limit, ...(cursor !== undefined && { cursor }) } } }));

export const listOf = (ask: Ask): ImageList => new ImageList((cursor, limit = 0) => ask(cursor, Math.max(PAGE, limit)));

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
