/** The album of a page: what is known of it, what one may do in it, and what becomes of it meanwhile. */
import { api, told } from '../api/client';
import { isGone } from '../api/errors';
import type { Album, AlbumChange, AlbumMember, Person } from '../api/shapes';
import { live } from '../live/stream';
import { calm } from '../ui/calm';
import { failed } from '../ui/failed';
import { mayAdd, mayEdit, mayManage } from './roles';

const MOST_PEOPLE = 40;
const MOST_WAITING = 100; // that are counted
const SOON = 600; // milliseconds: events come in swarms

/** What guests brought and its owner has to look at; `isExpected`: more may come. */
export interface Waiting {
  readonly count: number;
  readonly isExpected: boolean;
}

export class OpenAlbum {
  album = $state.raw<Album | null>(null);
  members = $state.raw<readonly AlbumMember[]>([]);
  /** Who is in its photos, those in most of them first. */
  people = $state.raw<readonly Person[]>([]);
  /** Told to its owner; null until that is known. */
  waiting = $state.raw<Waiting | null>(null);
  /** Why it could not be loaded the first time. */
  error = $state.raw<unknown>(null);
  /** It is deleted, or not for us to see any more. */
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

  /** Never throws: what is shown stays, and where nothing is shown yet the error stands in its place. All of it comes at
   * once, so that nothing is pushed away by what comes later.
   */
  async load(): Promise<void> {
    const params = { path: { albumId: this.id } };
    this.error = null;
    try {
      const [album, { members }] = await Promise.all([
        told(api.GET('/api/albums/{albumId}', { params })),
        told(api.GET('/api/albums/{albumId}/members', { params })),
        this.loadPeople(),
      ]);
      [this.album, this.members] = [album, members];
      if (mayManage(album.role)) void this.loadWaiting();
    } catch (error) {
      if (isGone(error)) this.isGone = true;
      else if (this.album) failed(error);
      else this.error = error;
    }
  }

  /** Faces are an aside: where they cannot be told, the album is there without. */
  async loadPeople(): Promise<void> {
    const params = { path: { albumId: this.id }, query: { few: true, limit: MOST_PEOPLE } };
    const { data } = await api.GET('/api/albums/{albumId}/persons', { params }).catch(() => ({ data: undefined }));
    if (data) this.people = data.persons;
  }

  /** An aside, too: whoever comes for the photos need not wait for it. */
  async loadWaiting(): Promise<void> {
    await calm;
    const path = { albumId: this.id };
    const [links, queue] = await Promise.all([
      api.GET('/api/albums/{albumId}/links', { params: { path } }),
      api.GET('/api/albums/{albumId}/queue', { params: { path, query: { limit: MOST_WAITING } } }),
    ]).catch(() => []);
    if (!links?.data || !queue?.data) return;
    const isExpected = links.data.links.some(({ moderated, allow }) => moderated && allow.includes('upload'));
    this.waiting = { count: queue.data.images.length, isExpected };
  }

  /** Asks for that by and by, however many say so. */
  loadWaitingSoon(): void {
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      void this.loadWaiting();
    }, SOON);
  }

  /** Shown once the server has agreed. */
  async change(body: AlbumChange): Promise<void> {
    const params = { path: { albumId: this.id } };
    this.album = await told(api.PATCH('/api/albums/{albumId}', { params, body }));
  }

  /** Asks how it is by now, once for many who say so. */
  loadSoon(): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => void this.load(), SOON);
  }

  /** Until what is returned is called, it is kept as it is on the server. */
  follow(): () => void {
    const off = [
      live.on('album', ({ albumId, gone }) => {
        if (albumId !== this.id) return;
        if (gone) this.isGone = true;
        else this.loadSoon();
      }),
      live.on('photo', () => {
        if (this.waiting?.isExpected || this.waiting?.count) this.loadWaitingSoon();
      }),
      live.on('people', () => void this.loadPeople()),
      live.on('reset', () => void this.load()),
    ];
    return () => {
      clearTimeout(this.#waiting);
      clearTimeout(this.#counting);
      off.forEach((stop) => stop());
    };
  }
}
