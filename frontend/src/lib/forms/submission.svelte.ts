/** State of a form's submission: busy, and the error text. */
import { errorText } from '../ui/toasts.svelte';

export class Submission {
  busy = $state(false);
  error = $state<string | null>(null);

  /** True on success; `words` gives the text of an error. */
  async run(work: () => Promise<unknown>, words: (error: unknown) => string = errorText): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = null;
    try {
      await work();
      return true;
    } catch (error) {
      this.error = words(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
