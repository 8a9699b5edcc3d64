/** What is listed about people. */
import type { Decision, Face, Person } from '../api/shapes';
import { api, told } from '../api/client';
import { Paged } from './paged.svelte';

const page = (cursor: string | undefined, limit: number) => ({ limit, ...(cursor !== undefined && { cursor }) });

/** `few`: with those in few photos, too. */
export async function askForPeople(few: boolean, hidden: boolean, cursor: string | undefined, limit: number) {
  const query = { few, hidden, ...page(cursor, limit) };
  const { persons, lastEvaluatedKey } = await told(api.GET('/api/persons', { params: { query } }));
  return { items: persons, next: lastEvaluatedKey };
}

export const peopleList = (load: ConstructorParameters<typeof Paged<Person>>[0]): Paged<Person> =>
  new Paged(load, ({ personId }) => personId);

export const facesOf = (personId: string): Paged<Face> =>
  new Paged(
    async (cursor, limit) => {
      const params = { path: { personId }, query: page(cursor, limit) };
      const { faces, lastEvaluatedKey } = await told(api.GET('/api/persons/{personId}/faces', { params }));
      return { items: faces, next: lastEvaluatedKey };
    },
    ({ faceId }) => faceId,
  );

export const decisionsAbout = (personId: string): Paged<Decision> =>
  new Paged(
    async (cursor, limit) => {
      const params = { path: { personId }, query: page(cursor, limit) };
      const { decisions, lastEvaluatedKey } = await told(api.GET('/api/persons/{personId}/decisions', { params }));
      return { items: decisions, next: lastEvaluatedKey };
    },
    ({ decisionId }) => decisionId,
  );
