/** Something that a form does: whether it is under way, and why it did not work. */
import { inWords } from '../ui/toasts.svelte';

export class Deed {
  busy = $state(false);
  error = $state<string | null>(null);

  /** Whether it worked; `words` says what an error means here. */
  async run(work: () => Promise<unknown>, words: (error: unknown) => string = inWords): Promise<boolean> {
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
