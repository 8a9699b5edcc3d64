/** A guest's visit: from the link that they were given to the album, and out again when it is closed. */
import { api, sentAlong, signedOut, told } from '$lib/api/client';
import { ApiError, isGone, Unreachable } from '$lib/api/errors';
import type { ClosedLink, Guest } from '$lib/api/shapes';
import { at } from './later';
import { linkIn, memory, secretIn } from './memory';
import { forgetQueue } from './uploader';

/** `none`: there is no link. `closed`: it is over. `left`: it stands, but the browser is not its guest any more.
 * `failed`: nobody knows, for now.
 */
export type Stage =
  | { readonly kind: 'starting' | 'none' | 'closed' | 'left' | 'in' }
  | { readonly kind: 'door'; readonly look: ClosedLink }
  | { readonly kind: 'failed'; readonly error: unknown };

// A browser may be signed in, too: here it is the guest who asks.
const AS = 'X-Sparks-As';
const GUEST = 'guest';

export interface Answers {
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

export class Visit {
  stage = $state.raw<Stage>({ kind: 'starting' });
  /** Who came in last. */
  guest = $state.raw<Guest | null>(null);
  #turn = 0;

  constructor() {
    signedOut.addEventListener('over', () => this.stage.kind === 'in' && void this.leave());
    addEventListener('hashchange', () => void this.start());
    addEventListener('online', () => this.stage.kind === 'failed' && void this.start());
  }

  /** Comes back as who was here before, or to the door. */
  start(): Promise<void> {
    return this.#find((secret) => this.#found(secret));
  }

  /** They are nobody here any more: the link is over, or another one was opened in this browser. Only the first ends what
   * was still to be sent; and nobody comes back from the second without being asked, since two pages would take turns.
   */
  leave(): Promise<void> {
    return this.#find(async (secret) => (secret && (await lookAt(secret)) ? { kind: 'left' } : this.#found(secret)));
  }

  /** In at the door. ApiError where an answer is wrong. */
  async enter(answers: Answers): Promise<void> {
    const secret = secretIn(location.hash) ?? '';
    await this.#open(secret, answers);
    if (answers.name) memory.name = answers.name;
    this.#go({ kind: 'in' });
  }

  /** Who they are, and what is allowed, as it is now. */
  async read(): Promise<Guest> {
    const guest = await told(api.GET('/api/guest'));
    if (guest.guestId === this.guest?.guestId) this.guest = guest; // and not one who has left meanwhile
    return guest;
  }

  /** Whether the link still stands; nothing happens where nobody can be asked. */
  async check(): Promise<void> {
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

  async #find(stageFor: (secret: string | null) => Promise<Stage>): Promise<void> {
    const turn = ++this.#turn;
    this.stage = { kind: 'starting' };
    sentAlong[AS] = GUEST;
    const stage = await stageFor(secretIn(location.hash)).catch((error: unknown): Stage => ({ kind: 'failed', error }));
    if (turn === this.#turn) this.#go(stage);
  }

  #go(stage: Stage): void {
    if (stage.kind === 'closed') this.#forget();
    if (stage.kind === 'in') at(this.guest?.expiresAt, () => void this.check());
    this.stage = stage;
  }

  async #found(secret: string | null): Promise<Stage> {
    if (!secret) return this.#asBefore();
    if (memory.link === linkIn(secret)) {
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
  async #asBefore(): Promise<Stage> {
    try {
      this.#be(await told(api.GET('/api/guest')));
      return { kind: 'in' };
    } catch (error) {
      if (!isOut(error)) throw error;
      return { kind: memory.link ? 'closed' : 'none' };
    }
  }

  async #open(secret: string, answers: Answers): Promise<void> {
    const body = { secret, name: answers.name || null, password: answers.password || null };
    this.#be(await told(api.POST('/api/links/open', { body })));
  }

  /** From now on nothing is asked in another name, whatever is opened elsewhere in this browser. */
  #be(guest: Guest): void {
    sentAlong[AS] = `${GUEST} ${guest.guestId}`;
    memory.link = guest.linkId;
    this.guest = guest;
  }

  #forget(): void {
    const secret = secretIn(location.hash);
    const link = secret ? linkIn(secret) : memory.link;
    if (link) forgetQueue(link);
    if (link === memory.link) memory.forget();
  }
}

/** What is told before it is opened; null where it is over. */
const lookAt = (secret: string): Promise<ClosedLink | null> =>
  told(api.POST('/api/links/look', { body: { secret } })).catch((error: unknown) => {
    if (isGone(error)) return null;
    throw error;
  });

/** They are a guest no more. */
const isOut = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404].includes(error.status);

/** False where something is to be asked first, or the link is over: the door tells. */
function isAsked(error: unknown): false {
  if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 429)) throw error;
  return false;
}
