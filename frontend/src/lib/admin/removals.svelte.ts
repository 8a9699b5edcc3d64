/** Accounts that are being removed with all that they own: how far it is, until nothing is left. */
import { api, told } from '../api/client';
import { ApiError } from '../api/errors';

const AGAIN = 1500;

export interface Removal {
  readonly email: string;
  readonly photos: number;
  /** As many as there were. */
  readonly total: number;
  readonly done: boolean;
}

export class Removals {
  all = $state.raw<readonly Removal[]>([]);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The account is closed when this returns; the rest goes on by itself. */
  async begin(email: string, total: number): Promise<void> {
    const { photosRemoved } = await told(api.DELETE('/api/users/{email}', { params: { path: { email } } }));
    this.all = [
      ...this.all.filter((each) => each.email !== email),
      { email, photos: photosRemoved, total, done: false },
    ];
    this.#again();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #again(): void {
    this.stop();
    if (this.all.some(({ done }) => !done)) this.#timer = setTimeout(() => void this.#look(), AGAIN);
  }

  async #look(): Promise<void> {
    this.all = await Promise.all(this.all.map((each) => (each.done ? each : this.#ask(each))));
    this.#again();
  }

  /** 404 is what it comes to. Any other error says nothing about it: it is asked again. */
  async #ask(before: Removal): Promise<Removal> {
    const params = { path: { email: before.email } };
    try {
      const { photosRemoved } = await told(api.GET('/api/users/{email}/removal', { params }));
      return { ...before, photos: photosRemoved };
    } catch (error) {
      return error instanceof ApiError && error.status === 404 ? { ...before, done: true } : before;
    }
  }
}
