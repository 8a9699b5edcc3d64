/** Store of the person that the signed-in user is or claims to be. */
import { api, unwrap } from '../api/client';
import { ApiError } from '../api/errors';
import type { Person } from '../api/types';
import { session } from '../auth/session.svelte';

export type ClaimState = 'known' | 'waits';

let person = $state.raw<Person | null>(null);
let claimed = $state.raw<Person | null>(null);

/** The person, or the one they were merged into; null if the user may not see them. */
async function find(personId: string | null | undefined): Promise<Person | null> {
  if (!personId) return null;
  try {
    return await unwrap(api.GET('/api/persons/{personId}', { params: { path: { personId } } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function lookAgain(): Promise<void> {
  await session.load();
  await ownPerson.load();
}

export const ownPerson = {
  get person(): Person | null {
    return person;
  },
  /** Person that the user claims to be, not confirmed yet. */
  get claimed(): Person | null {
    return claimed;
  },
  is: (one: Pick<Person, 'personId'>): boolean => person?.personId === one.personId,
  claims: (one: Pick<Person, 'personId'>): boolean => claimed?.personId === one.personId,

  async load(): Promise<void> {
    const { profile } = session;
    [person, claimed] = await Promise.all([find(profile?.personId), find(profile?.claimedPersonId)]);
  },
  /** `waits`: an administrator has to confirm. `proof` comes from a selfie search. */
  async claim(personId: string, proof?: string | null): Promise<ClaimState> {
    const body = { personId, ...(proof && { proof }) };
    const { claimedPersonId } = await unwrap(api.PUT('/api/me/person', { body }));
    await lookAgain();
    return claimedPersonId ? 'waits' : 'known';
  },
  /** Removes the link to a person, confirmed or claimed. */
  async unclaim(): Promise<void> {
    await unwrap(api.DELETE('/api/me/person'));
    await lookAgain();
  },
};
