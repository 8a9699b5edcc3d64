/** Who is in the open photo: faces with their places, and what one says about whose they are. */
import { api, told } from '../api/client';
import { isCode } from '../api/errors';
import type { components } from '../api/schema';
import type { Decided } from '../api/shapes';
import { t } from '../i18n/i18n.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import type { Box } from './geometry';

type Shapes = components['schemas'];
export type PersonName = Shapes['PersonName'];

export interface Seen {
  readonly faceId: string;
  readonly box: Box;
  readonly thumbUrl: string | null;
  /** Undefined for a face that is nobody's yet. */
  readonly person: PersonName | undefined;
}

/** Whom one means: somebody who is there, or somebody new of this name, who may be called as another one is. */
export type Whom = { readonly personId: string; readonly name: string } | { readonly name: string; isTwo?: boolean };

export class PhotoPeople {
  faces = $state.raw<readonly Seen[]>([]);
  isLoaded = $state(false);
  /** The face that is pointed at, in the list or on the picture. */
  pointed = $state<string | null>(null);
  /** The box that is being drawn; null when none is. */
  drawing = $state.raw<Box | null>(null);

  constructor(readonly imageId: string) {}

  async load(): Promise<void> {
    const options = { params: { path: { imageId: this.imageId } } };
    const { faces, persons } = await told(api.GET('/api/photos/{imageId}/persons', options));
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

  /** Says who it is. Of somebody without a name, all faces become that one's. */
  name(face: Seen, whom: Whom): Promise<boolean> {
    const { person } = face;
    return this.#decide(t('viewer.isNow', { name: whom.name }), async () => {
      if (person && !person.named) return this.#nameThem(person.personId, whom);
      return this.#assign(face.faceId, whom);
    });
  }

  /** This one face is somebody else's, whatever the others are. */
  reassign(face: Seen, whom: Whom): Promise<boolean> {
    return this.#decide(t('viewer.isNow', { name: whom.name }), () => this.#assign(face.faceId, whom));
  }

  reject(face: Seen, person: PersonName): Promise<boolean> {
    const said = person.named ? t('viewer.isNot', { name: person.displayName }) : t('viewer.isNotThem');
    const options = { params: { path: { personId: person.personId } }, body: { faceIds: [face.faceId] } };
    return this.#decide(said, async () => [await told(api.POST('/api/persons/{personId}/reject', options))]);
  }

  draw(box: Box, whom: Whom): Promise<boolean> {
    const bbox = { Left: box.left, Top: box.top, Width: box.width, Height: box.height };
    const options = { params: { path: { imageId: this.imageId } } };
    const send = (who: Whom) => {
      const whose = 'personId' in who ? { personId: who.personId } : { displayName: who.name };
      const body = { bbox, ...whose, sameName: 'isTwo' in who && who.isTwo === true };
      return told(api.POST('/api/photos/{imageId}/faces', { ...options, body }));
    };
    return this.#decide(t('viewer.isNow', { name: whom.name }), async () => [
      await orWhoHasTheName(
        () => send(whom),
        (personId) => send({ personId, name: whom.name }),
      ),
    ]);
  }

  // -- What is asked of the server

  async #nameThem(personId: string, whom: Whom): Promise<Decided[]> {
    const params = { path: { personId } };
    const merge = (into: string) => told(api.POST('/api/persons/{personId}/merge', { params, body: { into } }));
    if ('personId' in whom) return [await merge(whom.personId)];
    const body = { displayName: whom.name, sameName: whom.isTwo === true };
    return [await orWhoHasTheName(() => told(api.PATCH('/api/persons/{personId}', { params, body })), merge)];
  }

  async #assign(faceId: string, whom: Whom): Promise<Decided[]> {
    const params = { path: { faceId } };
    const put = (personId: string) => told(api.PUT('/api/faces/{faceId}/person', { params, body: { personId } }));
    if ('personId' in whom) return [await put(whom.personId)];
    const founded = await put('new');
    const personId = founded.face?.personId;
    return personId ? [founded, ...(await this.#nameThem(personId, whom))] : [founded];
  }

  async #decide(said: string, ask: () => Promise<Decided[]>): Promise<boolean> {
    try {
      const made = (await ask()).flatMap(({ decisions }) => decisions.map(({ decisionId }) => decisionId));
      toasts.say(said, made.length ? () => void this.#undo(made) : undefined);
      return true;
    } catch (error) {
      failed(error);
      return false;
    } finally {
      await this.load().catch(failed);
    }
  }

  /** The last one first: each stands on those before it. */
  async #undo(decisions: readonly string[]): Promise<void> {
    try {
      for (const decisionId of decisions.toReversed())
        await told(api.POST('/api/decisions/{decisionId}/undo', { params: { path: { decisionId } } }));
      await this.load();
    } catch (error) {
      failed(error);
    }
  }
}

/** A name that somebody has already, whom the list of names did not show: most likely they are meant. */
async function orWhoHasTheName(
  ask: () => Promise<Decided>,
  them: (personId: string) => Promise<Decided>,
): Promise<Decided> {
  try {
    return await ask();
  } catch (error) {
    if (isCode(error, 'NAME_TAKEN')) return them(String(error.body['personId']));
    throw error;
  }
}
