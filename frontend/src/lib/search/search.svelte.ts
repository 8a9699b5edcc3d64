/** The photos that are found. What was found before stays until the next are there: nothing flickers while one types. */
import { api, told } from '../api/client';
import { ImageList } from '../photos/imageList.svelte';
import { listOf, type Ask } from '../people/photosOf';
import { askedOf, isNothing, queryOf, withoutChip, type Chip, type Filters } from './filters';

const MOST_WAYS = 6;

/** What is left out of a search that finds nothing, so that it finds something: a chip, or the words. */
export type Way = { readonly chip: Chip } | { readonly text: string };

export class Search {
  list = $state.raw<ImageList | null>(null);
  /** What the list answers. */
  filters = $state.raw<Filters | null>(null);
  isBusy = $state(false);
  error = $state.raw<unknown>(null);
  ways = $state.raw<readonly Way[]>([]);
  #asking: AbortController | null = null;

  async run(filters: Filters): Promise<void> {
    this.end();
    if (isNothing(filters)) {
      [this.list, this.filters, this.error] = [null, null, null];
      return;
    }
    const { signal } = (this.#asking = new AbortController());
    this.isBusy = true;
    try {
      const list = listOf(asking(filters, signal));
      await list.loadMore();
      if (signal.aborted) return;
      [this.list, this.filters, this.error, this.ways] = [list, filters, null, []];
      if (!list.count) this.ways = await waysOut(filters, signal);
    } catch (error) {
      if (!signal.aborted) [this.list, this.filters, this.error] = [null, filters, error];
    } finally {
      if (this.#asking?.signal === signal) this.isBusy = false;
    }
  }

  /** Photos have changed: what is shown is looked up again, where it stands. */
  async renew(): Promise<void> {
    const { list, filters } = this;
    if (!filters || this.isBusy) return;
    if (!list || this.error) return this.run(filters);
    await list.renew();
  }

  /** What is under way is for nobody any more. */
  end(): void {
    this.#asking?.abort();
    this.isBusy = false;
  }
}

/** [Note: the first page] Pages behind it are asked for by the list itself, for as long as it is shown. */
function asking(filters: Filters, first?: AbortSignal): Ask {
  return (cursor, limit) => {
    const query = { ...askedOf(filters), sort: filters.sort, limit, ...(cursor !== undefined && { cursor }) };
    const signal = cursor === undefined ? first : undefined;
    return told(api.GET('/api/search', { params: { query }, ...(signal && { signal }) }));
  };
}

/** Which of all that was asked for is too much. */
async function waysOut(filters: Filters, signal: AbortSignal): Promise<Way[]> {
  const ways: { way: Way; left: Filters }[] = filters.chips.map((chip) => ({
    way: { chip },
    left: withoutChip(filters, chip),
  }));
  if (filters.text.trim()) ways.push({ way: { text: filters.text.trim() }, left: { ...filters, text: '' } });
  const looser = ways.filter(({ left }) => queryOf(left) && !isNothing(left)).slice(-MOST_WAYS);
  const found = await Promise.all(looser.map(({ left }) => finds(left, signal)));
  return looser.filter((_, at) => found[at]).map(({ way }) => way);
}

const finds = (filters: Filters, signal: AbortSignal): Promise<boolean> =>
  asking(filters, signal)(undefined, 1).then(
    ({ images }) => images.length > 0,
    () => false,
  );
