/** What people say about persons and faces. All of it can be undone, and a toast says how. */
import type { Decided, Decision } from '../api/shapes';
import { api, told } from '../api/client';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';

const of = (personId: string) => ({ params: { path: { personId } } });

export const decide = {
  /** Refused with `NAME_TAKEN` where another person is called so, unless they are said to be two. */
  name: (personId: string, displayName: string, sameName = false): Promise<Decided> =>
    told(api.PATCH('/api/persons/{personId}', { ...of(personId), body: { displayName, sameName } })),

  hide: (personId: string, hidden: boolean): Promise<Decided> =>
    told(api.PATCH('/api/persons/{personId}', { ...of(personId), body: { hidden, sameName: false } })),

  merge: (personId: string, into: string): Promise<Decided> =>
    told(api.POST('/api/persons/{personId}/merge', { ...of(personId), body: { into } })),

  split: (personId: string, faceIds: string[]): Promise<Decided> =>
    told(api.POST('/api/persons/{personId}/split', { ...of(personId), body: { faceIds } })),

  reject: (personId: string, faceIds: string[]): Promise<Decided> =>
    told(api.POST('/api/persons/{personId}/reject', { ...of(personId), body: { faceIds } })),

  picture: (personId: string, faceId: string): Promise<Decided> =>
    told(api.PUT('/api/persons/{personId}/picture', { ...of(personId), body: { faceId } })),

  assign: (faceId: string, personId: string): Promise<Decided> =>
    told(api.PUT('/api/faces/{faceId}/person', { params: { path: { faceId } }, body: { personId } })),

  answer: (suggestionId: string, same: boolean): Promise<Decided> =>
    told(api.POST('/api/suggestions/{suggestionId}', { params: { path: { suggestionId } }, body: { same } })),

  undo: (decisionId: string): Promise<Decided> =>
    told(api.POST('/api/decisions/{decisionId}/undo', { params: { path: { decisionId } } })),
};

/** One after the other: what was done to the one before may matter for the next. */
export async function eachInTurn<T>(items: readonly T[], wish: (item: T) => Promise<Decided>): Promise<Decided[]> {
  const all: Decided[] = [];
  for (const item of items) all.push(await wish(item));
  return all;
}

export const decisionsOf = (all: readonly Decided[]): Decision[] => all.flatMap(({ decisions }) => decisions);

/** Says what was done, with a way back; what had been so already needs none. `after` is called when it was taken back. */
export function sayDone(text: string, decisions: readonly Decision[], after: () => void): void {
  if (decisions.length) toasts.say(text, () => void takeBack(decisions, after));
}

/** The last one first, as one would walk back. */
async function takeBack(decisions: readonly Decision[], after: () => void): Promise<void> {
  try {
    for (const { decisionId } of [...decisions].reverse()) await decide.undo(decisionId);
  } catch (error) {
    failed(error);
  }
  after();
}
