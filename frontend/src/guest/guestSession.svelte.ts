/** Session of a guest: opens the link, keeps the guest, notices its end. */
import { api, defaultHeaders, sessionEvents, unwrap } from '$lib/api/client';
import { ApiError, isNotFound, Unreachable } from '$lib/api/errors';
import type { LinkPreview, Guest } from '$lib/api/types';
import { linkIdOf, guestStorage, secretFromHash } from './guestStorage';
import { deleteGuestQueue } from './guestUploader';

/** `none`: there is no link. `closed`: it has expired. `left`: this browser is no longer its guest. `failed`: the
 * server did not answer.
 */
export type GuestStage =
  | { readonly kind: 'starting' | 'none' | 'closed' | 'left' | 'in' }
  | { readonly kind: 'door'; readonly look: LinkPreview }
  | { readonly kind: 'failed'; readonly error: unknown };

// A signed-in user may open a link, too: requests of this page are the guest's.
const AS = 'X-Sparks-As';
const GUEST = 'guest';

export interface EntryFields {
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

export class GuestSession {
  stage = $state.raw<GuestStage>({ kind: 'starting' });
  /** The guest who came in last. */
  guest = $state.raw<Guest | null>(null);
  #turn = 0;

  constructor() {
    sessionEvents.addEventListener('over', () => this.stage.kind === 'in' && void this.leave());
    addEventListener('hashchange', () => void this.start());
    addEventListener('online', () => this.stage.kind === 'failed' && void this.start());
  }

  /** Continues as the guest of an earlier session, or shows the entry form. */
  start(): Promise<void> {
    return this.#find((secret) => this.#found(secret));
  }

  /** The guest's session has ended: the link has expired, or another one was opened in this browser. Only the first
   * deletes the upload queue. After the second the user has to come back explicitly, since two pages would otherwise
   * take turns.
   */
  leave(): Promise<void> {
    return this.#find(async (secret) => (secret && (await lookAt(secret)) ? { kind: 'left' } : this.#found(secret)));
  }

  /** Opens the link. ApiError if name or password are wrong. */
  async enter(answers: EntryFields): Promise<void> {
    const secret = secretFromHash(location.hash) ?? '';
    await this.#open(secret, answers);
    if (answers.name) guestStorage.name = answers.name;
    this.#go({ kind: 'in' });
  }

  /** Loads the guest with the current permissions. */
  async read(): Promise<Guest> {
    const guest = await unwrap(api.GET('/api/guest'));
    if (guest.guestId === this.guest?.guestId) this.guest = guest; // not another guest who came in meanwhile
    return guest;
  }

  /** Checks whether the link is still valid; ignores network errors. */
  async checkLink(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      if (isOut(error) && this.stage.kind === 'in') await this.leave();
    }
  }

  close(): void {
    this.#turn++;
    this.#go({ kind: 'closed' });
  }

  async #find(stageFor: (secret: string | null) => Promise<GuestStage>): Promise<void> {
    const turn = ++this.#turn;
    this.stage = { kind: 'starting' };
    defaultHeaders[AS] = GUEST;
    const stage = await stageFor(secretFromHash(location.hash)).catch((error: unknown): GuestStage => ({
      kind: 'failed',
      error,
    }));
    if (turn === this.#turn) this.#go(stage);
  }

  #go(stage: GuestStage): void {
    if (stage.kind === 'closed') this.#forget();
    if (stage.kind === 'in') runAt(this.guest?.expiresAt, () => void this.checkLink());
    this.stage = stage;
  }

  async #found(secret: string | null): Promise<GuestStage> {
    if (!secret) return this.#asBefore();
    if (guestStorage.link === linkIdOf(secret)) {
      const isIn = await this.#open(secret, {}).then(() => true, isAsked);
      if (isIn) return { kind: 'in' };
    }
    const look = await lookAt(secret);
    if (!look) return { kind: 'closed' };
    if (look.asksName || look.asksPassword) return { kind: 'door', look };
    await this.#open(secret, {});
    return { kind: 'in' };
  }

  /** By the cookie alone: from the home screen. */
  async #asBefore(): Promise<GuestStage> {
    try {
      this.#be(await unwrap(api.GET('/api/guest')));
      return { kind: 'in' };
    } catch (error) {
      if (!isOut(error)) throw error;
      return { kind: guestStorage.link ? 'closed' : 'none' };
    }
  }

  async #open(secret: string, answers: EntryFields): Promise<void> {
    const body = { secret, name: answers.name || null, password: answers.password || null };
    this.#be(await unwrap(api.POST('/api/links/open', { body })));
  }

  /** From now on requests name this guest, whatever link is opened elsewhere in this browser. */
  #be(guest: Guest): void {
    defaultHeaders[AS] = `${GUEST} ${guest.guestId}`;
    guestStorage.link = guest.linkId;
    this.guest = guest;
  }

  #forget(): void {
    const secret = secretFromHash(location.hash);
    const link = secret ? linkIdOf(secret) : guestStorage.link;
    if (link) deleteGuestQueue(link);
    if (link === guestStorage.link) guestStorage.forget();
  }
}

/** Public facts of a link; null if it has expired. */
const lookAt = (secret: string): Promise<LinkPreview | null> =>
  unwrap(api.POST('/api/links/look', { body: { secret } })).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });

/** The session of the guest has ended. */
const isOut = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404].includes(error.status);

/** False if name or password are needed, or the link has expired. */
function isAsked(error: unknown): false {
  if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 429)) throw error;
  return false;
}

const MOST_WAIT = 2 ** 31 - 1; // longest time of a timer, in milliseconds
const BEHIND = 500; // milliseconds, since clocks differ

/** Runs a function at this time, unless the returned function is called before. Never without a time, or if it is too
 * far away for a timer.
 */
export function runAt(time: string | null | undefined, run: () => void): () => void {
  const wait = time ? new Date(time).getTime() - Date.now() : Infinity;
  const timer = wait < MOST_WAIT ? setTimeout(run, wait + BEHIND) : undefined;
  return () => clearTimeout(timer);
}
