/** All people by name, as far as names are completed from them: loaded when a name is first asked for. */
import type { Person } from '../api/shapes';
import { api, told } from '../api/client';

const PAGE = 500;
const MOST = 4; // pages

let people = $state.raw<readonly Person[]>([]);
let loading: Promise<void> | null = null;

async function load(): Promise<void> {
  let found: Person[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST; page++) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const answer = await told(api.GET('/api/persons', { params: { query } }));
    found = [...found, ...answer.persons];
    cursor = answer.lastEvaluatedKey ?? undefined;
    if (cursor === undefined) break;
  }
  people = found;
}

export const directory = {
  /** Those who are listed, in most photos first. */
  get people(): readonly Person[] {
    return people;
  },
  get named(): readonly Person[] {
    return people.filter(({ named }) => named);
  },
  /** Anew; what is known already stays meanwhile. */
  load(): Promise<void> {
    return (loading ??= load().finally(() => (loading = null)));
  },
};
