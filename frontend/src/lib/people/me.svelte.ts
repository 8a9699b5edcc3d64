/** Which person one is oneself: known, claimed until an administrator confirms it, or nobody. */
import type { Person } from '../api/shapes';
import { api, told } from '../api/client';
import { ApiError } from '../api/errors';
import { session } from '../session.svelte';

export type Outcome = 'known' | 'waits';

let person = $state.raw<Person | null>(null);
let claimed = $state.raw<Person | null>(null);

/** Whoever was merged is the one whom they became; null for somebody whom one does not see. */
async function find(personId: string | null | undefined): Promise<Person | null> {
  if (!personId) return null;
  try {
    return await told(api.GET('/api/persons/{personId}', { params: { path: { personId } } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function lookAgain(): Promise<void> {
  await session.load();
  await me.load();
}

export const me = {
  get person(): Person | null {
    return person;
  },
  /** Whom one says to be, and nobody has confirmed. */
  get claimed(): Person | null {
    return claimed;
  },
  is: (one: Pick<Person, 'personId'>): boolean => person?.personId === one.personId,
  claims: (one: Pick<Person, 'personId'>): boolean => claimed?.personId === one.personId,

  async load(): Promise<void> {
    const { profile } = session;
    [person, claimed] = await Promise.all([find(profile?.personId), find(profile?.claimedPersonId)]);
  },
  /** `waits`: an administrator has to confirm it. `proof` is what a selfie was answered with. */
  async become(personId: string, proof?: string | null): Promise<Outcome> {
    const body = { personId, ...(proof && { proof }) };
    const { claimedPersonId } = await told(api.PUT('/api/me/person', { body }));
    await lookAgain();
    return claimedPersonId ? 'waits' : 'known';
  },
  /** Nobody in particular: neither known nor claimed. */
  async becomeNobody(): Promise<void> {
    await told(api.DELETE('/api/me/person'));
    await lookAgain();
  },
};
