/** Value loaded from the API, with its error and a reload. */
import { toastError } from './toasts.svelte';

export class Resource<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<unknown>(null);
  readonly #ask: () => Promise<T>;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** Never throws: an error of the first load is kept, later ones are toasts. */
  load = async (): Promise<void> => {
    this.error = null;
    try {
      this.value = await this.#ask();
    } catch (error) {
      if (this.value === null) this.error = error;
      else toastError(error);
    }
  };
}
