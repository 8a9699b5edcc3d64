/** Store of the photo lists that a guest sees, updated by live events. */
import { api, unwrap } from '$lib/api/client';
import { isNotFound } from '$lib/api/errors';
import type { Album, Guest, Image, AlbumOrder } from '$lib/api/types';
import type { AlbumEvent, PhotoEvent } from '$lib/live/liveEvents';
import { fetchPhoto, setFavorite } from '$lib/photos/favoriteMarks';
import { PagedPhotos, type PhotoPage } from '$lib/photos/pagedPhotos.svelte';
import { pageOfPersons, type GuestView } from './guestViews';

const VIEWS: readonly GuestView[] = ['album', 'ofMe', 'mine', 'favorites'];
const FIRST = 36; // photos that a phone shows, and some more
const PAGE = 100;
const TOGETHER = 400; // milliseconds: events within are handled by one request
type Listener = (announced: PhotoEvent) => void;

export class GuestPhotos {
  album = $state.raw<Album | null>(null);
  /** Persons whom a selfie matched without certainty. */
  alike = $state.raw<readonly string[]>([]);
  readonly lists: Readonly<Record<GuestView, PagedPhotos>>;
  readonly #guest: () => Guest;
  readonly #onfail: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  readonly #seen = new Set<GuestView>();
  readonly #renewed = new Set<string>();
  #announced = new Map<string, PhotoEvent>();
  /** Lists to reload; `#isAnew`: all of their photos, not only new ones. */
  #due = new Set<GuestView>();
  #isAnew = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(guest: () => Guest, onfail: (error: unknown) => void) {
    this.#guest = guest;
    this.#onfail = onfail;
    const albumId = () => this.#guest().albumId;
    this.lists = {
      album: new PagedPhotos((...page) => pageOfAlbum(albumId(), ...page)),
      ofMe: new PagedPhotos((...page) => this.#pageOfMe(...page)),
      mine: new PagedPhotos((...page) => unwrap(api.GET('/api/guest/photos', paged(...page)))),
      favorites: new PagedPhotos((...page) => unwrap(api.GET('/api/guest/favorites', paged(...page)))),
    };
  }

  /** Persons whom the selfie matched. */
  get persons(): readonly string[] {
    const { persons } = this.#guest();
    return persons.length ? persons : this.alike;
  }

  /** Reports changes of photos until the returned function is called. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async readAlbum(): Promise<void> {
    this.album = await unwrap(
      api.GET('/api/albums/{albumId}', { params: { path: { albumId: this.#guest().albumId } } }),
    );
  }

  /** Loads a list, and keeps it up to date from now on. */
  async show(view: GuestView): Promise<void> {
    const list = this.lists[view];
    const isNew = !this.#seen.has(view);
    this.#seen.add(view);
    if (isNew || view !== 'album' || list.hasFailed) await list.reload();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  // -- Live events

  onAlbumEvent({ photo }: AlbumEvent): void {
    if (photo) this.#announced.set(photo.imageId, photo);
    this.#soon(['album', 'ofMe', 'mine']);
  }

  /** Reloads all lists. */
  renew(): void {
    this.#isAnew = true;
    this.#soon(VIEWS);
  }

  renewMine(): void {
    this.#soon(['mine']);
  }

  // -- Actions of the guest

  async toggleFavorite(image: Image): Promise<void> {
    const favorite = !image.favorite;
    this.#update({ ...image, favorite });
    try {
      await setFavorite(image.imageId, favorite);
    } catch (error) {
      this.#update(image);
      this.#onfail(error);
    }
  }

  async remove({ imageId }: Image): Promise<void> {
    await unwrap<unknown>(api.DELETE('/api/photos/{imageId}', { params: { path: { imageId } } }));
    this.#drop(imageId);
    for (const listener of this.#listeners) listener({ imageId, gone: true });
  }

  /** Loads a photo whose addresses have expired again, once. */
  async renewUrls(imageId: string): Promise<void> {
    if (this.#renewed.has(imageId)) return;
    this.#renewed.add(imageId);
    const image = await this.#read(imageId);
    if (image) this.#update(image);
  }

  // -- Work

  /** Events during a reload are handled after it, so that a steady flow does not delay it. */
  #soon(views: readonly GuestView[]): void {
    for (const view of views) this.#due.add(view);
    this.#timer ??= setTimeout(async () => {
      await this.#catchUp().catch((error: unknown) => {
        this.#isAnew = true; // with the next event
        this.#onfail(error);
      });
      this.#timer = undefined;
      if (this.#due.size) this.#soon([]);
    }, TOGETHER);
  }

  /** The first page has most changes; photos further down are inserted one by one. */
  async #catchUp(): Promise<void> {
    const [announced, due, isAnew] = [[...this.#announced.values()], this.#due, this.#isAnew];
    [this.#announced, this.#due, this.#isAnew] = [new Map(), new Set(), false];
    for (const each of announced) {
      if (each.gone) this.#drop(each.imageId, ['album', 'ofMe']);
      else for (const listener of this.#listeners) listener(each);
    }
    const { album } = this.lists;
    await Promise.all([
      due.has('album') && this.readAlbum(),
      ...[...this.#seen]
        .filter((view) => due.has(view))
        .map((view) => (view === 'album' && !isAnew ? album.refresh() : this.lists[view].reload())),
    ]);
    const missing = announced.filter(({ gone, imageId }) => !gone && album.indexOf(imageId) < 0);
    if (this.#seen.has('album')) for (const { imageId } of missing) await this.#place(imageId);
  }

  async #place(imageId: string): Promise<void> {
    const { album } = this.lists;
    const isAllNew = album.isComplete && album.count <= FIRST;
    const image = isAllNew ? null : await this.#read(imageId);
    if (image && !image.waits)
      album.items = insertSorted(album.items, image, this.album?.order ?? 'taken', album.isComplete);
  }

  async #read(imageId: string): Promise<Image | null> {
    try {
      return await fetchPhoto(imageId);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  #update(image: Image): void {
    for (const list of Object.values(this.lists)) list.update(image);
  }

  #drop(imageId: string, views: readonly GuestView[] = VIEWS): void {
    for (const view of views) this.lists[view].drop([imageId]);
  }

  /** Without permission to view the album, its photos are those of the guest. */
  async #pageOfMe(cursor: string | undefined, limit?: number): Promise<PhotoPage> {
    const { albumId, allow } = this.#guest();
    if (!allow.includes('view')) return pageOfAlbum(albumId, cursor, limit);
    return pageOfPersons(this.persons, cursor, (personId, behind) =>
      unwrap(
        api.GET('/api/albums/{albumId}/persons/{personId}/photos', {
          params: { path: { albumId, personId }, ...paged(behind, limit).params },
        }),
      ),
    );
  }
}

const paged = (cursor: string | undefined, limit = 0) => ({
  params: { query: { limit: Math.max(limit, cursor ? PAGE : FIRST), cursor } },
});

const pageOfAlbum = (albumId: string, cursor: string | undefined, limit?: number): Promise<PhotoPage> =>
  unwrap(api.GET('/api/albums/{albumId}/photos', { params: { path: { albumId }, ...paged(cursor, limit).params } }));

const timeOf = (image: Image): string => image.takenAt ?? image.uploaded_datetime ?? '';

/** Inserts a photo into a list of which only the beginning is loaded; the list is unchanged if the photo comes later.
 * With the order `added` the first page has it already.
 */
export function insertSorted(
  images: readonly Image[],
  image: Image,
  order: AlbumOrder,
  isComplete: boolean,
): readonly Image[] {
  if (order === 'added' || images.some(({ imageId }) => imageId === image.imageId)) return images;
  const later = order === 'hand' ? -1 : images.findIndex((each) => timeOf(each) < timeOf(image));
  if (later >= 0) return [...images.slice(0, later), image, ...images.slice(later)];
  return isComplete ? [...images, image] : images;
}
