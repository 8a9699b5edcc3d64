/** What the ids of chips are called, and whose face goes with them: learnt from what was picked, or asked for once. */
import { api, told } from '../api/client';
import type { Person } from '../api/shapes';
import { idOf, type Chip } from './filters';

export interface Named {
  readonly label: string;
  readonly face?: string | null;
}

let known = $state.raw<ReadonlyMap<string, Named>>(new Map());
const asked = new Set<string>();

export const names = {
  /** Undefined while nobody has told, and of what is not there. */
  of: (chip: Chip): Named | undefined => known.get(idOf(chip)),
  learn(chip: Chip, named: Named): void {
    known = new Map([...known, [idOf(chip), named]]);
  },
  /** Asks for those that are not known yet. */
  async ask(chips: readonly Chip[]): Promise<void> {
    const missing = chips.filter((chip) => !known.has(idOf(chip)) && !asked.has(idOf(chip)));
    await Promise.all(missing.map(ask));
  },
};

/** What is not for us to see has no name: the search says so. */
async function ask(chip: Chip): Promise<void> {
  asked.add(idOf(chip));
  try {
    const named = await find(chip);
    if (named) names.learn(chip, named);
  } catch {
    asked.delete(idOf(chip));
  }
}

async function find({ kind, value }: Chip): Promise<Named | null> {
  if (kind === 'person')
    return ofPerson(await told(api.GET('/api/persons/{personId}', { params: { path: { personId: value } } })));
  if (kind === 'album') {
    const { title } = await told(api.GET('/api/albums/{albumId}', { params: { path: { albumId: value } } }));
    return { label: title };
  }
  if (kind === 'uploader') {
    const user = await told(api.GET('/api/users/{email}', { params: { path: { email: value } } }));
    return { label: user.username };
  }
  return null;
}

export const ofPerson = (person: Person): Named => ({
  label: person.named ? person.displayName : '',
  face: person.thumbUrl ?? null,
});
