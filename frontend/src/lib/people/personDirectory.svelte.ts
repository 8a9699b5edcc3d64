/** Store of people by name, for completion of typed names. */
import { api, unwrap } from '../api/client';
import type { Person } from '../api/types';

const PAGE = 500;

interface Wanted {
  /** Includes hidden people, and people in few photos. */
  readonly all: boolean;
  readonly pages: number;
}

class Directory {
  /** People in most photos first. */
  people = $state.raw<readonly Person[]>([]);
  readonly named = $derived(this.people.filter(({ named }) => named));
  #loading: Promise<void> | null = null;

  constructor(readonly wanted: Wanted) {}

  /** Loads again; the people known stay meanwhile. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = null)));
  }

  async #load(): Promise<void> {
    const { all, pages } = this.wanted;
    const found: Person[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page++) {
      const query = { limit: PAGE, ...(all && { few: true, hidden: true }), ...(cursor !== undefined && { cursor }) };
      const { persons, lastEvaluatedKey } = await unwrap(api.GET('/api/persons', { params: { query } }));
      found.push(...persons);
      cursor = lastEvaluatedKey ?? undefined;
      if (cursor === undefined) break;
    }
    this.people = found;
  }
}

/** People in the list of people. */
export const listedPeople = new Directory({ all: false, pages: 4 });
/** All people who may be in a photo. */
export const allPeople = new Directory({ all: true, pages: 10 });
