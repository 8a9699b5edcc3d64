/** Which lists of photos a guest is shown, as their link allows. */
import type { Guest } from '$lib/api/shapes';
import type { ListPage } from '$lib/photos/imageList.svelte';

export type View = 'album' | 'ofMe' | 'mine' | 'favourites';

/** In the order of the tabs. `isFound`: a selfie has told who they are. */
export function viewsOf({ allow, photos }: Pick<Guest, 'allow' | 'photos'>, isFound: boolean): View[] {
  const [views, finds, uploads] = [allow.includes('view'), allow.includes('find'), allow.includes('upload')];
  return [
    ...(views ? (['album'] as const) : []),
    ...(finds && (isFound || !views) ? (['ofMe'] as const) : []),
    ...(uploads || photos ? (['mine'] as const) : []),
    ...(views || finds ? (['favourites'] as const) : []),
  ];
}

/** Whether others' photos are still to come. */
export const isVeiled = ({ revealAt }: Pick<Guest, 'revealAt'>, now: number): boolean =>
  revealAt != null && new Date(revealAt).getTime() > now;

/** For the file chooser: what the link takes, as it names it. */
export const accepted = (types: readonly string[] | null | undefined, all: string): string =>
  types?.length ? types.map((type) => (type.includes('/') ? type : `${type}/*`)).join() : all;

type Load = (personId: string, cursor: string | undefined) => Promise<ListPage>;

/** One page of the photos of several persons, one person after the other: the cursor tells which, and where. A photo of
 * two of them is told with the first.
 */
export async function inTurn(persons: readonly string[], cursor: string | undefined, load: Load): Promise<ListPage> {
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
