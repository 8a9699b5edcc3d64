/** Photo lists that a link's permissions allow, and pages over several persons. */
import type { Guest } from '$lib/api/types';
import type { PhotoPage } from '$lib/photos/pagedPhotos.svelte';

export type GuestView = 'album' | 'ofMe' | 'mine' | 'favorites';

/** In the order of the tabs. `isFound`: a selfie matched. */
export function viewsOf({ allow, photos }: Pick<Guest, 'allow' | 'photos'>, isFound: boolean): GuestView[] {
  const [views, finds, uploads] = [allow.includes('view'), allow.includes('find'), allow.includes('upload')];
  return [
    ...(views ? (['album'] as const) : []),
    ...(finds && (isFound || !views) ? (['ofMe'] as const) : []),
    ...(uploads || photos ? (['mine'] as const) : []),
    ...(views || finds ? (['favorites'] as const) : []),
  ];
}

/** Whether photos of others are revealed later. */
export const isBeforeReveal = ({ revealAt }: Pick<Guest, 'revealAt'>, now: number): boolean =>
  revealAt != null && new Date(revealAt).getTime() > now;

/** `accept` attribute of a file input for the types that the link allows. */
export const acceptAttribute = (types: readonly string[] | null | undefined, all: string): string =>
  types?.length ? types.map((type) => (type.includes('/') ? type : `${type}/*`)).join() : all;

type Load = (personId: string, cursor: string | undefined) => Promise<PhotoPage>;

/** Page of photos of several persons, one after the other: the cursor has the index of the person and their cursor. A
 * photo of two persons is listed once.
 */
export async function pageOfPersons(
  persons: readonly string[],
  cursor: string | undefined,
  load: Load,
): Promise<PhotoPage> {
  const [place = '0', behind] = cursor?.split(' ') ?? [];
  const at = Number(place);
  const person = persons[at];
  if (person === undefined) return { images: [] };
  const page = await load(person, behind || undefined);
  const before = new Set(persons.slice(0, at));
  const images = page.images.filter((image) => !image.persons.some((each) => before.has(each)));
  const next = page.lastEvaluatedKey ? `${at} ${page.lastEvaluatedKey}` : at + 1 < persons.length ? `${at + 1} ` : null;
  return { images, lastEvaluatedKey: next };
}
