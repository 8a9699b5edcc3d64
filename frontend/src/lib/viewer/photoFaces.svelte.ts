/** Store of the faces in the open photo, and the decisions about them. */
import { api, unwrap } from '../api/client';
import { hasCode } from '../api/errors';
import type { components } from '../api/schema';
import type { DecisionResult } from '../api/types';
import { t } from '../i18n/i18n.svelte';
import { decide } from '../people/decisions';
import { toastError, toasts } from '../ui/toasts.svelte';
import type { Box } from './geometry';

type Schemas = components['schemas'];
export type PersonName = Schemas['PersonNameResponse'];

export interface FaceInPhoto {
  readonly faceId: string;
  readonly box: Box;
  readonly thumbUrl: string | null;
  /** Undefined for a face without a person. */
  readonly person: PersonName | undefined;
}

/** A known person, or a new one of this name. `isTwo`: another person may have the same name. */
export type PersonChoice =
  { readonly personId: string; readonly name: string } | { readonly name: string; isTwo?: boolean };

export class PhotoFaces {
  faces = $state.raw<readonly FaceInPhoto[]>([]);
  isLoaded = $state(false);
  /** The face that is pointed at, in the list or on the picture. */
  pointed = $state<string | null>(null);
  /** The box that is being drawn; null if none is. */
  drawing = $state.raw<Box | null>(null);

  constructor(readonly imageId: string) {}

  async load(): Promise<void> {
    const options = { params: { path: { imageId: this.imageId } } };
    const { faces, persons } = await unwrap(api.GET('/api/photos/{imageId}/persons', options));
    const byId = new Map(persons.map((person) => [person.personId, person]));
    this.faces = faces
      .map((face) => ({
        faceId: face.faceId,
        box: { left: face.bbox.Left, top: face.bbox.Top, width: face.bbox.Width, height: face.bbox.Height },
        thumbUrl: face.thumbUrl ?? null,
        person: byId.get(face.personId ?? ''),
      }))
      .sort((one, other) => one.box.left - other.box.left);
    this.isLoaded = true;
  }

  /** Names the person of a face. If that person had no name, all of their faces get it. */
  name(face: FaceInPhoto, whom: PersonChoice): Promise<boolean> {
    const { person } = face;
    return this.#decide(t('viewer.isNow', { name: whom.name }), async () => {
      if (person && !person.named) return this.#namePerson(person.personId, whom);
      return this.#assign(face.faceId, whom);
    });
  }

  /** Assigns only this face to a person. */
  reassign(face: FaceInPhoto, whom: PersonChoice): Promise<boolean> {
    return this.#decide(t('viewer.isNow', { name: whom.name }), () => this.#assign(face.faceId, whom));
  }

  reject(face: FaceInPhoto, person: PersonName): Promise<boolean> {
    const said = person.named ? t('viewer.isNot', { name: person.displayName }) : t('viewer.isNotThem');
    return this.#decide(said, async () => [await decide.reject(person.personId, [face.faceId])]);
  }

  draw(box: Box, whom: PersonChoice): Promise<boolean> {
    const bbox = { Left: box.left, Top: box.top, Width: box.width, Height: box.height };
    const options = { params: { path: { imageId: this.imageId } } };
    const send = (who: PersonChoice) => {
      const whose = 'personId' in who ? { personId: who.personId } : { displayName: who.name };
      const body = { bbox, ...whose, sameName: 'isTwo' in who && who.isTwo === true };
      return unwrap(api.POST('/api/photos/{imageId}/faces', { ...options, body }));
    };
    return this.#decide(t('viewer.isNow', { name: whom.name }), async () => [
      await orPersonOfThatName(
        () => send(whom),
        (personId) => send({ personId, name: whom.name }),
      ),
    ]);
  }

  // -- Requests

  async #namePerson(personId: string, whom: PersonChoice): Promise<DecisionResult[]> {
    const merge = (into: string) => decide.merge(personId, into);
    if ('personId' in whom) return [await merge(whom.personId)];
    return [await orPersonOfThatName(() => decide.name(personId, whom.name, whom.isTwo === true), merge)];
  }

  async #assign(faceId: string, whom: PersonChoice): Promise<DecisionResult[]> {
    if ('personId' in whom) return [await decide.assign(faceId, whom.personId)];
    const founded = await decide.assign(faceId, 'new');
    const personId = founded.face?.personId;
    return personId ? [founded, ...(await this.#namePerson(personId, whom))] : [founded];
  }

  async #decide(said: string, ask: () => Promise<DecisionResult[]>): Promise<boolean> {
    try {
      const made = (await ask()).flatMap(({ decisions }) => decisions.map(({ decisionId }) => decisionId));
      toasts.say(said, made.length ? () => void this.#undo(made) : undefined);
      return true;
    } catch (error) {
      toastError(error);
      return false;
    } finally {
      await this.load().catch(toastError);
    }
  }

  /** Undoes the last decision first, since each depends on those before it. */
  async #undo(decisions: readonly string[]): Promise<void> {
    try {
      for (const decisionId of decisions.toReversed()) await decide.undo(decisionId);
      await this.load();
    } catch (error) {
      toastError(error);
    }
  }
}

/** If the name belongs to a person that the options did not show, that person is most likely meant. */
async function orPersonOfThatName(
  ask: () => Promise<DecisionResult>,
  them: (personId: string) => Promise<DecisionResult>,
): Promise<DecisionResult> {
  try {
    return await ask();
  } catch (error) {
    if (hasCode(error, 'NAME_TAKEN')) return them(String(error.body['personId']));
    throw error;
  }
}
