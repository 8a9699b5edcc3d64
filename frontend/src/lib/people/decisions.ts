/** Requests for decisions about people and faces, with undo toasts. */
import { api, unwrap } from '../api/client';
import type { DecisionResult, Decision } from '../api/types';
import { toastError, toasts } from '../ui/toasts.svelte';

const of = (personId: string) => ({ params: { path: { personId } } });

export const decide = {
  /** Refused with `NAME_TAKEN` if another person has the name, unless `sameName`. */
  name: (personId: string, displayName: string, sameName = false): Promise<DecisionResult> =>
    unwrap(api.PATCH('/api/persons/{personId}', { ...of(personId), body: { displayName, sameName } })),

  hide: (personId: string, hidden: boolean): Promise<DecisionResult> =>
    unwrap(api.PATCH('/api/persons/{personId}', { ...of(personId), body: { hidden, sameName: false } })),

  merge: (personId: string, into: string): Promise<DecisionResult> =>
    unwrap(api.POST('/api/persons/{personId}/merge', { ...of(personId), body: { into } })),

  split: (personId: string, faceIds: string[]): Promise<DecisionResult> =>
    unwrap(api.POST('/api/persons/{personId}/split', { ...of(personId), body: { faceIds } })),

  reject: (personId: string, faceIds: string[]): Promise<DecisionResult> =>
    unwrap(api.POST('/api/persons/{personId}/reject', { ...of(personId), body: { faceIds } })),

  picture: (personId: string, faceId: string): Promise<DecisionResult> =>
    unwrap(api.PUT('/api/persons/{personId}/picture', { ...of(personId), body: { faceId } })),

  assign: (faceId: string, personId: string): Promise<DecisionResult> =>
    unwrap(api.PUT('/api/faces/{faceId}/person', { params: { path: { faceId } }, body: { personId } })),

  answer: (suggestionId: string, same: boolean): Promise<DecisionResult> =>
    unwrap(api.POST('/api/suggestions/{suggestionId}', { params: { path: { suggestionId } }, body: { same } })),

  undo: (decisionId: string): Promise<DecisionResult> =>
    unwrap(api.POST('/api/decisions/{decisionId}/undo', { params: { path: { decisionId } } })),
};

/** Runs requests one after the other, since each may depend on the last. */
export async function runInSequence<T>(
  items: readonly T[],
  wish: (item: T) => Promise<DecisionResult>,
): Promise<DecisionResult[]> {
  const all: DecisionResult[] = [];
  for (const item of items) all.push(await wish(item));
  return all;
}

export const decisionsOf = (all: readonly DecisionResult[]): Decision[] => all.flatMap(({ decisions }) => decisions);

/** Shows a toast with an undo; none if nothing has changed. `after` runs when it was undone. */
export function toastWithUndo(text: string, decisions: readonly Decision[], after: () => void): void {
  if (decisions.length) toasts.say(text, () => void takeBack(decisions, after));
}

/** Undoes the last decision first. */
async function takeBack(decisions: readonly Decision[], after: () => void): Promise<void> {
  try {
    for (const { decisionId } of [...decisions].reverse()) await decide.undo(decisionId);
  } catch (error) {
    toastError(error);
  }
  after();
}
