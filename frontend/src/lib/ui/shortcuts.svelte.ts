/** Registry of the keyboard shortcuts that work on the open page. The `?` key lists them. */
import { untrack } from 'svelte';
import type { Key } from '../i18n/i18n.svelte';

export interface Shortcut {
  /** Value of `KeyboardEvent.key`, such as `a`, `Escape`, `ArrowLeft`. */
  readonly key: string;
  readonly does: Key;
  readonly run: (event: KeyboardEvent) => void;
  /** Works also while one layer replaces the others. */
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
  /** Adds shortcuts before all others until the returned function is called: for an `$effect`. */
  add(more: Layer): () => void {
    layers = [more, ...untrack(() => layers)];
    return () => (layers = layers.filter((layer) => layer !== more));
  },
  /** Replaces all other shortcuts, for a layer over the page, until the returned function is called. */
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
