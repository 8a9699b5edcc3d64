/** Store of the album a page shows: its data, the caller's rights, live updates. */
import { api, unwrap } from '../api/client';
import { isNotFound } from '../api/errors';
import type { Album, AlbumChange, AlbumMember, Person } from '../api/types';
import { i18n, t } from '../i18n/i18n.svelte';
import { formatter } from '../i18n/translate.svelte';
import { liveEvents } from '../live/liveEvents';
import { firstImagesLoaded } from '../ui/firstImages';
import { toastError } from '../ui/toasts.svelte';
import { mayAdd, mayEdit, mayManage } from './albumRoles';

const MOST_PEOPLE = 40;
const MOST_WAITING = 100; // photos that are counted
const SOON = 600; // milliseconds: events come in bursts

/** Guests' uploads that wait for the owner; `isExpected`: more may come. */
export interface PendingUploads {
  readonly count: number;
  readonly isExpected: boolean;
}

export class OpenAlbum {
  album = $state.raw<Album | null>(null);
  members = $state.raw<readonly AlbumMember[]>([]);
  /** People in its photos, those in most photos first. */
  people = $state.raw<readonly Person[]>([]);
  /** Only for the owner; null until it is known. */
  pending = $state.raw<PendingUploads | null>(null);
  /** Error of the first load. */
  error = $state.raw<unknown>(null);
  /** The album was deleted, or the user may no longer see it. */
  isGone = $state(false);
  readonly mayAdd = $derived(mayAdd(this.album?.role));
  readonly mayEdit = $derived(mayEdit(this.album?.role));
  readonly mayManage = $derived(mayManage(this.album?.role));
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #counting: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly id: string) {}

  get title(): string {
    return this.album?.title ?? '';
  }

  /** Never throws: an error of the first load is kept, later ones are toasts. All parts are shown at once, so that
   * nothing moves.
   */
  async load(): Promise<void> {
    const params = { path: { albumId: this.id } };
    this.error = null;
    try {
      const [album, { members }] = await Promise.all([
        unwrap(api.GET('/api/albums/{albumId}', { params })),
        unwrap(api.GET('/api/albums/{albumId}/members', { params })),
        this.loadPeople(),
      ]);
      [this.album, this.members] = [album, members];
      if (mayManage(album.role)) void this.loadPending();
    } catch (error) {
      if (isNotFound(error)) this.isGone = true;
      else if (this.album) toastError(error);
      else this.error = error;
    }
  }

  /** Without people the album is shown all the same. */
  async loadPeople(): Promise<void> {
    const params = { path: { albumId: this.id }, query: { few: true, limit: MOST_PEOPLE } };
    const { data } = await api.GET('/api/albums/{albumId}/persons', { params }).catch(() => ({ data: undefined }));
    if (data) this.people = data.persons;
  }

  /** Loads after the photos. */
  async loadPending(): Promise<void> {
    await firstImagesLoaded;
    const path = { albumId: this.id };
    const [links, queue] = await Promise.all([
      api.GET('/api/albums/{albumId}/links', { params: { path } }),
      api.GET('/api/albums/{albumId}/queue', { params: { path, query: { limit: MOST_WAITING } } }),
    ]).catch(() => []);
    if (!links?.data || !queue?.data) return;
    const isExpected = links.data.links.some(({ moderated, allow }) => moderated && allow.includes('upload'));
    this.pending = { count: queue.data.images.length, isExpected };
  }

  /** Loads once for many calls. */
  loadPendingSoon(): void {
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      void this.loadPending();
    }, SOON);
  }

  /** Shown when the server has confirmed. */
  async change(body: AlbumChange): Promise<void> {
    const params = { path: { albumId: this.id } };
    this.album = await unwrap(api.PATCH('/api/albums/{albumId}', { params, body }));
  }

  /** Loads once for many calls. */
  loadSoon(): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => void this.load(), SOON);
  }

  /** Applies live events until the returned function is called. */
  follow(): () => void {
    const off = [
      liveEvents.on('album', ({ albumId, gone }) => {
        if (albumId !== this.id) return;
        if (gone) this.isGone = true;
        else this.loadSoon();
      }),
      liveEvents.on('photo', () => {
        if (this.pending?.isExpected || this.pending?.count) this.loadPendingSoon();
      }),
      liveEvents.on('people', () => void this.loadPeople()),
      liveEvents.on('reset', () => void this.load()),
    ];
    return () => {
      clearTimeout(this.#waiting);
      clearTimeout(this.#counting);
      off.forEach((stop) => stop());
    };
  }
}

export const personName = (person: Person | undefined): string =>
  person?.named ? person.displayName : t('albums.unnamed');

/** Such as “Ada and Ben”. */
export function personNames(ids: readonly string[], people: readonly Person[]): string {
  const names = ids.map((id) => personName(people.find(({ personId }) => personId === id)));
  return formatter(Intl.ListFormat, i18n.locale).format(names);
}
