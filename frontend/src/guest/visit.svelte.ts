/** A guest's visit: from the link that they were given to the album, and out again when it is closed. */
import { api, signedOut, told } from '$lib/api/client';
import { ApiError, Unreachable } from '$lib/api/errors';
import type { ClosedLink, Guest } from '$lib/api/shapes';
import { at } from './later';
import { linkIn, memory, secretIn } from './memory';
import { forgetQueue } from './uploader';

/** `none`: there is no link. `closed`: it is over. `failed`: nobody knows, for now. */
export type Stage =
  | { readonly kind: 'starting' | 'none' | 'closed' | 'in' }
  | { readonly kind: 'door'; readonly look: ClosedLink }
  | { readonly kind: 'failed'; readonly error: unknown };

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
    signedOut.addEventListener('over', () => this.stage.kind === 'in' && this.close());
    addEventListener('hashchange', () => void this.start());
    addEventListener('online', () => this.stage.kind === 'failed' && void this.start());
  }

  /** Comes back as who was here before, or to the door. */
  async start(): Promise<void> {
    const turn = ++this.#turn;
    this.stage = { kind: 'starting' };
    const stage = await this.#found(secretIn(location.hash)).catch((error: unknown): Stage => ({
      kind: 'failed',
      error,
    }));
    if (turn === this.#turn) this.#go(stage);
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
    if (this.guest && guest.guestId !== this.guest.guestId) location.reload(); // another link was opened elsewhere
    return (this.guest = guest);
  }

  /** Whether the link still stands; nothing happens where nobody can be asked. */
  async check(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      if (isOut(error)) this.close();
    }
  }

  close(): void {
    this.#turn++;
    this.#go({ kind: 'closed' });
  }

  #go(stage: Stage): void {
    if (stage.kind === 'closed') this.#forget();
    if (stage.kind === 'in') at(this.guest?.expiresAt, () => void this.check());
    this.stage = stage;
  }

  async #found(secret: string | null): Promise<Stage> {
    if (!secret) return this.#asBefore();
    if (memory.visit?.link === linkIn(secret)) {
      const isIn = await this.#open(secret, {}).then(() => true, isAsked);
      if (isIn) return { kind: 'in' };
    }
    try {
      const look = await told(api.POST('/api/links/look', { body: { secret } }));
      if (look.asksName || look.asksPassword) return { kind: 'door', look };
      await this.#open(secret, {});
      return { kind: 'in' };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return { kind: 'closed' };
      throw error;
    }
  }

  /** By the cookie alone: from the home screen. */
  async #asBefore(): Promise<Stage> {
    try {
      await this.read();
      return { kind: 'in' };
    } catch (error) {
      if (!isOut(error)) throw error;
      return { kind: memory.visit ? 'closed' : 'none' };
    }
  }

  async #open(secret: string, answers: Answers): Promise<void> {
    const body = { secret, name: answers.name || null, password: answers.password || null };
    this.guest = await told(api.POST('/api/links/open', { body }));
    memory.remember({ link: linkIn(secret), guest: this.guest.guestId });
  }

  #forget(): void {
    const guest = memory.visit?.guest;
    if (guest) forgetQueue(guest);
    memory.forget();
  }
}

/** They are a guest no more. */
const isOut = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404].includes(error.status);

/** False where something is to be asked first, or the link is over: the door tells. */
function isAsked(error: unknown): false {
  if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 429)) throw error;
  return false;
}
