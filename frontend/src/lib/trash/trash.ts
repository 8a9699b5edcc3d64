/** Throwing away, and taking it back: any number of photos, in as many requests as that takes. */
import { api, told } from '../api/client';

const AT_ONCE = 500;

interface Results {
  readonly results: readonly { readonly imageId: string; readonly error?: string | null }[];
}
type Ask = (ids: string[]) => Promise<Results>;

/** The ids of those that could not be done. */
async function inTurn(ids: readonly string[], ask: Ask): Promise<string[]> {
  const failed: string[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const { results } = await ask(ids.slice(start, start + AT_ONCE));
    failed.push(...results.filter(({ error }) => error).map(({ imageId }) => imageId));
  }
  return failed;
}

export const throwAway = (ids: readonly string[]): Promise<string[]> =>
  inTurn(ids, (some) => told(api.POST('/api/photos/trash', { body: { ids: some } })));

export const restore = (ids: readonly string[]): Promise<string[]> =>
  inTurn(ids, (some) => told(api.POST('/api/photos/restore', { body: { ids: some } })));

export const deleteForGood = (ids: readonly string[]): Promise<string[]> =>
  inTurn(ids, (some) => told(api.POST('/api/photos/delete', { body: { ids: some } })));

/** How many were deleted. */
export const emptyTrash = async (): Promise<number> => (await told(api.DELETE('/api/me/trash'))).deleted;
