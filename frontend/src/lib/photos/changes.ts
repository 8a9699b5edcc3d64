/** What is done to many photos at once: asked for in parts that the server takes, told of each photo, and taken back. */
import { api, told } from '../api/client';
import type { components } from '../api/schema';
import { marking } from './marking';

export type Wish = Omit<components['schemas']['PhotosChange'], 'ids'>;
/** What became of one photo: a `status`, or why not. */
interface Result {
  readonly imageId: string;
  readonly status?: string | null;
  readonly message?: string | null;
  readonly undo?: Wish | null;
}

/** How a list shows what becomes of photos. */
export type Shown = { readonly gone: true } | { readonly favorite: boolean };

/** Photos that can be changed: a list shows a change at once, and takes it back by what is returned. */
export interface Changeable {
  show(ids: readonly string[], shown: Shown): () => void;
  isFavorite(id: string): boolean;
}

/** What became of them. */
export interface Outcome {
  readonly done: readonly string[];
  readonly refused: readonly string[];
  /** Why the first of those was refused. */
  readonly message: string | null;
  /** What takes the change back, for which photos. */
  readonly undo: readonly { readonly ids: readonly string[]; readonly wish: Wish }[];
}

type Progress = (done: number) => void;
type Send = (ids: string[]) => Promise<readonly Result[]>;

const AT_ONCE = 500;

export function changeMany(ids: readonly string[], wish: Wish, progress: Progress): Promise<Outcome> {
  const asked = inParts(
    ids,
    progress,
    async (part) => (await told(api.POST('/api/photos/change', { body: { ...wish, ids: part } }))).results,
  );
  return typeof wish.favorite === 'boolean' ? marking(ids, wish.favorite, asked) : asked;
}

export const trashMany = (ids: readonly string[], progress: Progress): Promise<Outcome> =>
  inParts(ids, progress, async (part) => (await told(api.POST('/api/photos/trash', { body: { ids: part } }))).results);

export const restoreMany = (ids: readonly string[], progress: Progress): Promise<Outcome> =>
  inParts(
    ids,
    progress,
    async (part) => (await told(api.POST('/api/photos/restore', { body: { ids: part } }))).results,
  );

/** For good: nobody takes that back. */
export const deleteMany = (ids: readonly string[], progress: Progress): Promise<Outcome> =>
  inParts(ids, progress, async (part) => (await told(api.POST('/api/photos/delete', { body: { ids: part } }))).results);

/** Takes changes back, each photo's own. */
export async function undoMany({ undo }: Outcome): Promise<void> {
  for (const { ids, wish } of undo) await changeMany(ids, wish, () => {});
}

/** [Note: what was done is done] Where a later part fails, the earlier ones count: only with none of them is it an error. */
export async function inParts(ids: readonly string[], progress: Progress, send: Send): Promise<Outcome> {
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

function outcomeOf(results: readonly Result[]): Outcome {
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
    undo: [...wishes].map(([wish, ids]) => ({ ids, wish: JSON.parse(wish) as Wish })),
  };
}
