/** Keys that do something on the page that is open, and what they do: `?` shows them. */
import { untrack } from 'svelte';
import type { Key } from '../i18n/i18n.svelte';

export interface Shortcut {
  /** As `KeyboardEvent.key` says, such as `a`, `Escape`, `ArrowLeft`. */
  readonly key: string;
  readonly does: Key;
  readonly run: (event: KeyboardEvent) => void;
  /** Also while a layer stands alone. */
  readonly always?: boolean;
}

type Layer = readonly Shortcut[];

let layers = $state.raw<readonly Layer[]>([]);
let alone = $state.raw<Layer | null>(null);

export const shortcuts = {
  get all(): readonly Shortcut[] {
    const all = layers.flat();
    return alone ? [...alone, ...all.filter(({ always }) => always)] : all;
  },
  /** What is added last goes first, until what is returned is called: for an `$effect`. */
  add(more: Layer): () => void {
    layers = [more, ...untrack(() => layers)];
    return () => (layers = layers.filter((layer) => layer !== more));
  },
  /** Instead of all others, for what covers the page, until what is returned is called. */
  addAlone(only: Layer): () => void {
    alone = only;
    return () => {
      if (alone === only) alone = null;
    };
  },
};

const WRITES = 'input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]';

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const own = `${WRITES}, dialog:not([data-keys]), [role=menu]${event.key === ' ' ? ', button, a' : ''}`;
  if (event.target instanceof Element && event.target.closest(own)) return;
  const found = shortcuts.all.find(({ key }) => key === event.key);
  if (!found) return;
  event.preventDefault();
  found.run(event);
});
