/** Giving a name. One that somebody has already may mean that they are the same: then it is asked. */
import type { Decided, Person } from '../api/shapes';
import { api, told } from '../api/client';
import { isCode } from '../api/errors';
import { t } from '../i18n/i18n.svelte';
import { failed } from '../ui/failed';
import { decide, sayDone } from './decide';
import { directory } from './directory.svelte';
import { isSameName } from './names';

/** `name` is wanted for `person`, and `other` is called so. */
export interface Taken {
  readonly person: Person;
  readonly other: Person;
  readonly name: string;
}

/** How what is said shows at once: what is returned waits for the answer. */
export interface Shown {
  named(person: Person, name: string, asked: Promise<Decided>): Promise<Decided>;
  merged(gone: Person, kept: Person, asked: Promise<Decided>): Promise<Decided>;
  /** All of it is to be loaded anew. */
  again(): void;
}

export class Naming {
  taken = $state.raw<Taken | null>(null);
  readonly #shown: Shown;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Whether the name is free, as far as is known here: the server has the last word. */
  give(person: Person, name: string): boolean {
    const other = directory.named.find((one) => isSameName(one.displayName, name) && one.personId !== person.personId);
    if (name && other) this.taken = { person, other, name };
    else void this.#give(person, name, false);
    return !this.taken;
  }

  /** They are two of one name. */
  async giveBoth({ person, name }: Taken): Promise<void> {
    this.taken = null;
    await this.#give(person, name, true);
  }

  /** They are one; of the two, one who has a name stays. */
  async merge(person: Person, into: Person): Promise<void> {
    this.taken = null;
    const [gone, kept] = into.named || !person.named ? [person, into] : [into, person];
    try {
      const { decisions } = await this.#shown.merged(gone, kept, decide.merge(person.personId, into.personId));
      const text = kept.named ? t('people.mergedInto', { name: kept.displayName }) : t('people.merged');
      sayDone(text, decisions, () => this.#shown.again());
      this.#shown.again();
    } catch (error) {
      failed(error);
    }
  }

  async #give(person: Person, name: string, sameName: boolean): Promise<void> {
    try {
      const asked = decide.name(person.personId, name, sameName);
      const { decisions } = await this.#shown.named(person, name, asked);
      sayDone(name ? t('people.named', { name }) : t('people.unnamedNow'), decisions, () => this.#shown.again());
      void directory.load().catch(() => undefined); // the next name is typed to its end, then
    } catch (error) {
      if (!isCode(error, 'NAME_TAKEN')) failed(error);
      else await this.#ask(person, name, String(error.body['personId']));
    }
  }

  async #ask(person: Person, name: string, personId: string): Promise<void> {
    try {
      const other = await told(api.GET('/api/persons/{personId}', { params: { path: { personId } } }));
      this.taken = { person, other, name };
    } catch (error) {
      failed(error);
    }
  }
}
