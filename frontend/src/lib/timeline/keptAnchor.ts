/** Where one was, kept with the entry of the browser's history: coming back, or reloading, leads there again. */
import type { Scope } from './months';
import type { Anchor } from './timeline.svelte';

interface Kept {
  readonly timeline?: { readonly scope: Scope; readonly anchor: Anchor | null };
}

const state = (): Kept => (typeof history.state === 'object' && history.state !== null ? (history.state as Kept) : {});

export function keptAnchor(scope: Scope): Anchor | null {
  const { timeline } = state();
  return timeline?.scope === scope ? timeline.anchor : null;
}

/** [Note: at the top] Browsers take their time with this: who just came is at the top without it. */
export function keepAnchor(scope: Scope, anchor: Anchor | null): void {
  if (!anchor && !keptAnchor(scope)) return;
  history.replaceState({ ...state(), timeline: { scope, anchor: anchor && { ...anchor } } }, '');
}
