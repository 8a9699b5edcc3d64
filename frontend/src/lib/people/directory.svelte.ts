/** People by name, as far as names are completed from them: loaded when a name is first asked for. */
import { api, told } from '../api/client';
import type { Person } from '../api/shapes';

const PAGE = 500;

interface Wanted {
  /** Also those who are hidden, and those in few photos. */
  readonly all: boolean;
  readonly pages: number;
}

class Directory {
  /** Those in most photos first. */
  people = $state.raw<readonly Person[]>([]);
  readonly named = $derived(this.people.filter(({ named }) => named));
  #loading: Promise<void> | null = null;

  constructor(readonly wanted: Wanted) {}

  /** Anew; what is known already stays meanwhile. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = null)));
  }

  async #load(): Promise<void> {
    const { all, pages } = this.wanted;
    const found: Person[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page++) {
      const query = { limit: PAGE, ...(all && { few: true, hidden: true }), ...(cursor !== undefined && { cursor }) };
      const { persons, lastEvaluatedKey } = await told(api.GET('/api/persons', { params: { query } }));
      found.push(...persons);
      cursor = lastEvaluatedKey ?? undefined;
      if (cursor === undefined) break;
    }
    this.people = found;
  }
}

/** Those who are listed. */
export const directory = new Directory({ all: false, pages: 4 });
/** Whoever may be in a photo, listed or not. */
export const everyone = new Directory({ all: true, pages: 10 });
