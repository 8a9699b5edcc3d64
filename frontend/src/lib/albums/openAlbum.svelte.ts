/** The album of a page: what is known of it, what one may do in it, and what becomes of it meanwhile. */
import { api, told } from '../api/client';
import { isGone } from '../api/errors';
import type { Album, AlbumChange, AlbumMember } from '../api/shapes';
import { live } from '../live/stream';
import { failed } from '../ui/failed';
import { mayAdd, mayEdit, mayManage } from './roles';

const SOON = 600; // milliseconds: events come in swarms

export class OpenAlbum {
  album = $state.raw<Album | null>(null);
  members = $state.raw<readonly AlbumMember[]>([]);
  /** Why it could not be loaded the first time. */
  error = $state.raw<unknown>(null);
  /** It is deleted, or not for us to see any more. */
  isGone = $state(false);
  readonly mayAdd = $derived(mayAdd(this.album?.role));
  readonly mayEdit = $derived(mayEdit(this.album?.role));
  readonly mayManage = $derived(mayManage(this.album?.role));
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly id: string) {}

  get title(): string {
    return this.album?.title ?? '';
  }

  /** Never throws: what is shown stays, and where nothing is shown yet the error stands in its place. */
  async load(): Promise<void> {
    this.error = null;
    try {
      await Promise.all([this.#loadAlbum(), this.#loadMembers()]);
    } catch (error) {
      if (isGone(error)) this.isGone = true;
      else if (this.album) failed(error);
      else this.error = error;
    }
  }

  async #loadAlbum(): Promise<void> {
    this.album = await told(api.GET('/api/albums/{albumId}', { params: { path: { albumId: this.id } } }));
  }

  async #loadMembers(): Promise<void> {
    const asked = api.GET('/api/albums/{albumId}/members', { params: { path: { albumId: this.id } } });
    this.members = (await told(asked)).members;
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
      live.on('reset', () => void this.load()),
    ];
    return () => {
      clearTimeout(this.#waiting);
      off.forEach((stop) => stop());
    };
  }
}
