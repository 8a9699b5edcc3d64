/** Naming of a person, with the conflict where the name is in use. */
import { api, unwrap } from '../api/client';
import { hasCode } from '../api/errors';
import type { DecisionResult, Person } from '../api/types';
import { t } from '../i18n/i18n.svelte';
import { isSameName } from '../ui/textMatch';
import { toastError } from '../ui/toasts.svelte';
import { decide, toastWithUndo } from './decisions';
import { listedPeople } from './personDirectory.svelte';

/** `name` is wanted for `person`, and `other` has it. */
export interface NameConflict {
  readonly person: Person;
  readonly other: Person;
  readonly name: string;
}

/** Shows a change at once, and waits for the request. */
export interface NameAssignmentView {
  named(person: Person, name: string, asked: Promise<DecisionResult>): Promise<DecisionResult>;
  merged(gone: Person, kept: Person, asked: Promise<DecisionResult>): Promise<DecisionResult>;
  /** Reloads everything. */
  again(): void;
}

export class NameAssignment {
  taken = $state.raw<NameConflict | null>(null);
  readonly #shown: NameAssignmentView;

  constructor(shown: NameAssignmentView) {
    this.#shown = shown;
  }

  /** True if the name is free as far as known here: the server decides. */
  give(person: Person, name: string): boolean {
    const other = listedPeople.named.find(
      (one) => isSameName(one.displayName, name) && one.personId !== person.personId,
    );
    if (name && other) this.taken = { person, other, name };
    else void this.#give(person, name, false);
    return !this.taken;
  }

  /** Names a second person alike. */
  async giveBoth({ person, name }: NameConflict): Promise<void> {
    this.taken = null;
    await this.#give(person, name, true);
  }

  /** Merges the two; the one with a name is kept. */
  async merge(person: Person, into: Person): Promise<void> {
    this.taken = null;
    const [gone, kept] = into.named || !person.named ? [person, into] : [into, person];
    try {
      const { decisions } = await this.#shown.merged(gone, kept, decide.merge(person.personId, into.personId));
      const text = kept.named ? t('people.mergedInto', { name: kept.displayName }) : t('people.merged');
      toastWithUndo(text, decisions, () => this.#shown.again());
      this.#shown.again();
    } catch (error) {
      toastError(error);
    }
  }

  async #give(person: Person, name: string, sameName: boolean): Promise<void> {
    try {
      const asked = decide.name(person.personId, name, sameName);
      const { decisions } = await this.#shown.named(person, name, asked);
      toastWithUndo(name ? t('people.named', { name }) : t('people.unnamedNow'), decisions, () => this.#shown.again());
      void listedPeople.load().catch(() => undefined); // without it, names are typed in full
    } catch (error) {
      if (!hasCode(error, 'NAME_TAKEN')) toastError(error);
      else await this.#ask(person, name, String(error.body['personId']));
    }
  }

  async #ask(person: Person, name: string, personId: string): Promise<void> {
    try {
      const other = await unwrap(api.GET('/api/persons/{personId}', { params: { path: { personId } } }));
      this.taken = { person, other, name };
    } catch (error) {
      toastError(error);
    }
  }
}
