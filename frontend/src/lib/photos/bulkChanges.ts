/** Requests that change many photos in batches, with outcome and undo. */
import { api, unwrap } from '../api/client';
import type { components } from '../api/schema';
import { trackFavorite } from './favoriteMarks';

export type PhotoChange = Omit<components['schemas']['PhotosChangeRequest'], 'ids'>;
/** Result of one photo: `status`, or the error. */
interface Result {
  readonly imageId: string;
  readonly status?: string | null;
  readonly message?: string | null;
  readonly undo?: PhotoChange | null;
}

/** Change that a list shows before the server has confirmed it. */
export type OptimisticChange = { readonly gone: true } | { readonly favorite: boolean };

/** Photos of a list: `show` shows a change at once, and returns its undo. */
export interface ChangeablePhotos {
  show(ids: readonly string[], shown: OptimisticChange): () => void;
  isFavorite(id: string): boolean;
}

/** Result of all photos. */
export interface BulkOutcome {
  readonly done: readonly string[];
  readonly refused: readonly string[];
  /** Reason of the first refusal. */
  readonly message: string | null;
  /** Changes that undo the change, and their photos. */
  readonly undo: readonly { readonly ids: readonly string[]; readonly wish: PhotoChange }[];
}

type Progress = (done: number) => void;
type Send = (ids: string[]) => Promise<readonly Result[]>;

const AT_ONCE = 500;

export function changeMany(ids: readonly string[], wish: PhotoChange, progress: Progress): Promise<BulkOutcome> {
  const asked = inBatches(
    ids,
    progress,
    async (part) => (await unwrap(api.POST('/api/photos/change', { body: { ...wish, ids: part } }))).results,
  );
  return typeof wish.favorite === 'boolean' ? trackFavorite(ids, wish.favorite, asked) : asked;
}

export const trashMany = (ids: readonly string[], progress: Progress): Promise<BulkOutcome> =>
  inBatches(
    ids,
    progress,
    async (part) => (await unwrap(api.POST('/api/photos/trash', { body: { ids: part } }))).results,
  );

export const restoreMany = (ids: readonly string[], progress: Progress): Promise<BulkOutcome> =>
  inBatches(
    ids,
    progress,
    async (part) => (await unwrap(api.POST('/api/photos/restore', { body: { ids: part } }))).results,
  );

/** Deletes for good; this cannot be undone. */
export const deleteMany = (ids: readonly string[], progress: Progress): Promise<BulkOutcome> =>
  inBatches(
    ids,
    progress,
    async (part) => (await unwrap(api.POST('/api/photos/delete', { body: { ids: part } }))).results,
  );

/** Undoes the change of each photo. */
export async function undoMany({ undo }: BulkOutcome): Promise<void> {
  for (const { ids, wish } of undo) await changeMany(ids, wish, () => {});
}

/** If a later batch fails, the earlier ones count: it is an error only if the first one fails. */
export async function inBatches(ids: readonly string[], progress: Progress, send: Send): Promise<BulkOutcome> {
  const results: Result[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    try {
      results.push(...(await send(ids.slice(at, at + AT_ONCE))));
    } catch (error) {
      if (!at) throw error;
      const message = error instanceof Error ? error.message : String(error);
      results.push(...ids.slice(at).map((imageId) => ({ imageId, message })));
      break;
    }
    progress(Math.min(ids.length, at + AT_ONCE));
  }
  return outcomeOf(results);
}

function outcomeOf(results: readonly Result[]): BulkOutcome {
  const done = results.filter(({ status }) => status);
  const refused = results.filter(({ status }) => !status);
  const wishes = new Map<string, string[]>();
  for (const { imageId, undo } of done) {
    if (!undo) continue;
    const wish = JSON.stringify(undo);
    wishes.set(wish, [...(wishes.get(wish) ?? []), imageId]);
  }
  return {
    done: done.map(({ imageId }) => imageId),
    refused: refused.map(({ imageId }) => imageId),
    message: refused[0]?.message ?? null,
    undo: [...wishes].map(([wish, ids]) => ({ ids, wish: JSON.parse(wish) as PhotoChange })),
  };
}
