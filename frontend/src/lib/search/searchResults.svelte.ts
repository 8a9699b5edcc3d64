/** Store of search results, and of looser searches where there are none. Old results stay until new ones are there, so
 * that nothing flickers while the user types.
 */
import { api, unwrap } from '../api/client';
import { PagedPhotos } from '../photos/pagedPhotos.svelte';
import { pagedPhotos, type LoadPhotos } from '../photos/pagedPhotos.svelte';
import { searchQueryOf, hasNoFilters, urlQueryOf, withoutChip, type Chip, type Filters } from './searchFilters';

const MOST_WAYS = 6;

/** What to drop from a search without results so that it has some: a chip, or the text. */
export type LooserSearch = { readonly chip: Chip } | { readonly text: string };

export class SearchResults {
  list = $state.raw<PagedPhotos | null>(null);
  /** Filters of the results. */
  filters = $state.raw<Filters | null>(null);
  isBusy = $state(false);
  error = $state.raw<unknown>(null);
  looserSearches = $state.raw<readonly LooserSearch[]>([]);
  #asking: AbortController | null = null;

  async run(filters: Filters): Promise<void> {
    this.end();
    if (hasNoFilters(filters)) {
      [this.list, this.filters, this.error] = [null, null, null];
      return;
    }
    const { signal } = (this.#asking = new AbortController());
    this.isBusy = true;
    try {
      const list = pagedPhotos(asking(filters, signal));
      await list.loadMore();
      if (signal.aborted) return;
      [this.list, this.filters, this.error, this.looserSearches] = [list, filters, null, []];
      if (!list.count) this.looserSearches = await waysOut(filters, signal);
    } catch (error) {
      if (!signal.aborted) [this.list, this.filters, this.error] = [null, filters, error];
    } finally {
      if (this.#asking?.signal === signal) this.isBusy = false;
    }
  }

  /** Loads the results again in place, after photos have changed. */
  async renew(): Promise<void> {
    const { list, filters } = this;
    if (!filters || this.isBusy) return;
    if (!list || this.error) return this.run(filters);
    await list.reload();
  }

  /** Cancels the request under way. */
  end(): void {
    this.#asking?.abort();
    this.isBusy = false;
  }
}

/** Only the first page can be cancelled: the list loads the others while it is shown. */
function asking(filters: Filters, first?: AbortSignal): LoadPhotos {
  return (cursor, limit) => {
    const query = { ...searchQueryOf(filters), sort: filters.sort, limit, ...(cursor !== undefined && { cursor }) };
    const signal = cursor === undefined ? first : undefined;
    return unwrap(api.GET('/api/search', { params: { query }, ...(signal && { signal }) }));
  };
}

/** Finds out which filters exclude all results. */
async function waysOut(filters: Filters, signal: AbortSignal): Promise<LooserSearch[]> {
  const ways: { way: LooserSearch; left: Filters }[] = filters.chips.map((chip) => ({
    way: { chip },
    left: withoutChip(filters, chip),
  }));
  if (filters.text.trim()) ways.push({ way: { text: filters.text.trim() }, left: { ...filters, text: '' } });
  const looser = ways.filter(({ left }) => urlQueryOf(left) && !hasNoFilters(left)).slice(-MOST_WAYS);
  const found = await Promise.all(looser.map(({ left }) => finds(left, signal)));
  return looser.filter((_, at) => found[at]).map(({ way }) => way);
}

const finds = (filters: Filters, signal: AbortSignal): Promise<boolean> =>
  asking(filters, signal)(undefined, 1).then(
    ({ images }) => images.length > 0,
    () => false,
  );
