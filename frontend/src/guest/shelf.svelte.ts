/** The photos that a guest sees, in the lists that they are shown in; kept up as photos come and go. */
import { api, told } from '$lib/api/client';
import { isGone } from '$lib/api/errors';
import type { Album, Guest, Image } from '$lib/api/shapes';
import type { AlbumTold, PhotoTold } from '$lib/live/stream';
import { ImageList, type ListPage } from '$lib/photos/imageList.svelte';
import { readPhoto, setFavorite } from '$lib/photos/onePhoto';
import { placed } from './placing';
import { inTurn, type View } from './views';

const VIEWS: readonly View[] = ['album', 'ofMe', 'mine', 'favourites'];
const FIRST = 36; // photos: what a phone shows, and a little more
const PAGE = 100;
const TOGETHER = 400; // milliseconds within which what is told is answered by one reading
type Listener = (told: PhotoTold) => void;

export class Shelf {
  album = $state.raw<Album | null>(null);
  /** Whom a selfie was like, though not for certain. */
  alike = $state.raw<readonly string[]>([]);
  readonly lists: Readonly<Record<View, ImageList>>;
  readonly #guest: () => Guest;
  readonly #onfail: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  readonly #seen = new Set<View>();
  readonly #renewed = new Set<string>();
  #told = new Map<string, PhotoTold>();
  /** What is to be looked up again; `#isAnew`: all of it, and not only what is new. */
  #due = new Set<View>();
  #isAnew = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(guest: () => Guest, onfail: (error: unknown) => void) {
    this.#guest = guest;
    this.#onfail = onfail;
    const albumId = () => this.#guest().albumId;
    this.lists = {
      album: new ImageList((...page) => pageOfAlbum(albumId(), ...page)),
      ofMe: new ImageList((...page) => this.#pageOfMe(...page)),
      mine: new ImageList((...page) => told(api.GET('/api/guest/photos', paged(...page)))),
      favourites: new ImageList((...page) => told(api.GET('/api/guest/favorites', paged(...page)))),
    };
  }

  /** Who these are, by their selfie. */
  get persons(): readonly string[] {
    const { persons } = this.#guest();
    return persons.length ? persons : this.alike;
  }

  /** Calls the listener with what becomes of photos, until what is returned is called. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async readAlbum(): Promise<void> {
    this.album = await told(api.GET('/api/albums/{albumId}', { params: { path: { albumId: this.#guest().albumId } } }));
  }

  /** It is looked at: from now on it is kept up. */
  async show(view: View): Promise<void> {
    const list = this.lists[view];
    const isNew = !this.#seen.has(view);
    this.#seen.add(view);
    if (isNew || view !== 'album' || list.hasFailed) await list.renew();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  // -- What happens

  hear({ photo }: AlbumTold): void {
    if (photo) this.#told.set(photo.imageId, photo);
    this.#soon(['album', 'ofMe', 'mine']);
  }

  /** All that is shown, anew. */
  renew(): void {
    this.#isAnew = true;
    this.#soon(VIEWS);
  }

  renewMine(): void {
    this.#soon(['mine']);
  }

  // -- What guests do

  async mark(image: Image): Promise<void> {
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
    await told<unknown>(api.DELETE('/api/photos/{imageId}', { params: { path: { imageId } } }));
    this.#drop(imageId);
    for (const listener of this.#listeners) listener({ imageId, gone: true });
  }

  /** Its addresses are over: it is asked for again, once. */
  async restore(imageId: string): Promise<void> {
    if (this.#renewed.has(imageId)) return;
    this.#renewed.add(imageId);
    const image = await this.#read(imageId);
    if (image) this.#update(image);
  }

  // -- Work

  /** What comes while that is done is done after it: a steady flow postpones nothing. */
  #soon(views: readonly View[]): void {
    for (const view of views) this.#due.add(view);
    this.#timer ??= setTimeout(async () => {
      await this.#catchUp().catch((error: unknown) => {
        this.#isAnew = true; // with what is told next
        this.#onfail(error);
      });
      this.#timer = undefined;
      if (this.#due.size) this.#soon([]);
    }, TOGETHER);
  }

  /** The newest page tells most of it; what belongs further down is put there by itself. */
  async #catchUp(): Promise<void> {
    const [heard, due, isAnew] = [[...this.#told.values()], this.#due, this.#isAnew];
    [this.#told, this.#due, this.#isAnew] = [new Map(), new Set(), false];
    for (const each of heard) {
      if (each.gone) this.#drop(each.imageId, ['album', 'ofMe']);
      else for (const listener of this.#listeners) listener(each);
    }
    const { album } = this.lists;
    await Promise.all([
      due.has('album') && this.readAlbum(),
      ...[...this.#seen]
        .filter((view) => due.has(view))
        .map((view) => (view === 'album' && !isAnew ? album.refresh() : this.lists[view].renew())),
    ]);
    const missing = heard.filter(({ gone, imageId }) => !gone && album.indexOf(imageId) < 0);
    if (this.#seen.has('album')) for (const { imageId } of missing) await this.#place(imageId);
  }

  async #place(imageId: string): Promise<void> {
    const { album } = this.lists;
    const isAllNew = album.isComplete && album.count <= FIRST;
    const image = isAllNew ? null : await this.#read(imageId);
    if (image && !image.waits)
      album.images = placed(album.images, image, this.album?.order ?? 'taken', album.isComplete);
  }

  async #read(imageId: string): Promise<Image | null> {
    try {
      return await readPhoto(imageId);
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  #update(image: Image): void {
    for (const list of Object.values(this.lists)) list.update(image);
  }

  #drop(imageId: string, views: readonly View[] = VIEWS): void {
    for (const view of views) this.lists[view].drop([imageId]);
  }

  /** Without a view of the album, what a guest sees of it is just that. */
  async #pageOfMe(cursor: string | undefined, limit?: number): Promise<ListPage> {
    const { albumId, allow } = this.#guest();
    if (!allow.includes('view')) return pageOfAlbum(albumId, cursor, limit);
    return inTurn(this.persons, cursor, (personId, behind) =>
      told(
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

const pageOfAlbum = (albumId: string, cursor: string | undefined, limit?: number): Promise<ListPage> =>
  told(api.GET('/api/albums/{albumId}/photos', { params: { path: { albumId }, ...paged(cursor, limit).params } }));
