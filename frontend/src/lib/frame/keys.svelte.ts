/** Keys that do something on the page that is open, and what they do: `?` shows them. */
import { untrack } from 'svelte';
import type { Key } from '../i18n/i18n.svelte';

export interface Shortcut {
  /** As `KeyboardEvent.key` says, such as `a`, `Escape`, `ArrowLeft`. */
  readonly key: string;
  readonly does: Key;
  readonly run: (event: KeyboardEvent) => void;
}

let layers = $state.raw<readonly (readonly Shortcut[])[]>([]);

export const shortcuts = {
  get all(): readonly Shortcut[] {
    return layers.flat();
  },
  /** What is added last goes first, until what is returned is called: for an `$effect`. */
  add(more: readonly Shortcut[]): () => void {
    layers = [more, ...untrack(() => layers)];
    return () => (layers = layers.filter((layer) => layer !== more));
  },
};

const WRITES = 'input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]';

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target instanceof Element && event.target.closest(`${WRITES}, dialog:not([data-keys]), [role=menu]`))
    return;
  const found = shortcuts.all.find(({ key }) => key === event.key);
  if (!found) return;
  event.preventDefault();
  found.run(event);
});
