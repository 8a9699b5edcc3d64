/** Requests for people, their faces, photos and decisions, as paged lists. */
import { api, unwrap } from '../api/client';
import type { Decision, Face, Image, Person } from '../api/types';
import type { LoadPhotos } from '../photos/pagedPhotos.svelte';
import { PagedList, pageQuery, type LoadPage } from '../ui/pagedList.svelte';

/** `few`: includes people in few photos. */
export async function fetchPeople(few: boolean, hidden: boolean, cursor: string | undefined, limit?: number) {
  const query = { few, hidden, ...pageQuery(cursor, limit) };
  const { persons, lastEvaluatedKey } = await unwrap(api.GET('/api/persons', { params: { query } }));
  return { items: persons, next: lastEvaluatedKey };
}

export const peopleList = (load: LoadPage<Person>): PagedList<Person> =>
  new PagedList(load, ({ personId }) => personId);

export const facesOf = (personId: string): PagedList<Face> =>
  new PagedList(
    async (cursor, limit) => {
      const params = { path: { personId }, query: pageQuery(cursor, limit) };
      const { faces, lastEvaluatedKey } = await unwrap(api.GET('/api/persons/{personId}/faces', { params }));
      return { items: faces, next: lastEvaluatedKey };
    },
    ({ faceId }) => faceId,
  );

export const decisionsOfPerson = (personId: string): PagedList<Decision> =>
  new PagedList(
    async (cursor, limit) => {
      const params = { path: { personId }, query: pageQuery(cursor, limit) };
      const { decisions, lastEvaluatedKey } = await unwrap(api.GET('/api/persons/{personId}/decisions', { params }));
      return { items: decisions, next: lastEvaluatedKey };
    },
    ({ decisionId }) => decisionId,
  );

export const personPhotos =
  (personId: string, other: string | null): LoadPhotos =>
  (cursor, limit) => {
    const query = { ...pageQuery(cursor, limit), ...(other !== null && { with: other }) };
    return unwrap(api.GET('/api/persons/{personId}/photos', { params: { path: { personId }, query } }));
  };

export const ownPersonPhotos: LoadPhotos = (cursor, limit) =>
  unwrap(api.GET('/api/me/photos-with-me', { params: { query: pageQuery(cursor, limit) } }));

/** Ids of other people in these photos, most frequent first. */
export function companionsIn(images: readonly Image[], personId: string, most: number): string[] {
  const counts = new Map<string, number>();
  for (const id of images.flatMap(({ persons }) => persons)) counts.set(id, (counts.get(id) ?? 0) + 1);
  counts.delete(personId);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([id]) => id);
}

/** Whether face detection works, is switched off, or is not installed. */
export type FaceDetectionState = 'works' | 'off' | 'missing';

export async function fetchFaceDetectionState(): Promise<FaceDetectionState> {
  const { siteFaces, findsFaces } = await unwrap(api.GET('/api/me/consent'));
  if (!siteFaces) return 'off';
  return findsFaces ? 'works' : 'missing';
}
