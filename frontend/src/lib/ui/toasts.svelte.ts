/** Short messages at the bottom: what was done, with a way back; or what went wrong, in words. */
import { ApiError, Unreachable } from '../api/errors';
import { t } from '../i18n/speech.svelte';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const STAYS = 6000;
const MOST = 3;

let all = $state.raw<readonly Toast[]>([]);
let next = 0;

function add(toast: Omit<Toast, 'id'>, stays: number): number {
  const id = next++;
  all = [...all, { ...toast, id }].slice(-MOST);
  setTimeout(() => toasts.drop(id), stays);
  return id;
}

export const toasts = {
  get all(): readonly Toast[] {
    return all;
  },
  /** What was done; `undo` takes it back. */
  say(text: string, undo?: () => void): number {
    const action = undo && { label: t('ui.undo'), run: undo };
    return add({ text, isError: false, ...(action && { action }) }, undo ? 2 * STAYS : STAYS);
  },
  offer(text: string, label: string, run: () => void): number {
    return add({ text, isError: false, action: { label, run } }, 2 * STAYS);
  },
  /** What went wrong, with the number of the request where there is one to ask about. */
  fail(error: unknown): number {
    const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
    const copy = { label: t('ui.copyRequestId'), run: () => void navigator.clipboard.writeText(requestId ?? '') };
    return add({ text: inWords(error), isError: true, ...(requestId && { action: copy }) }, 2 * STAYS);
  },
  drop(id: number): void {
    all = all.filter((toast) => toast.id !== id);
  },
};

/** An error as a sentence to the user. */
export function inWords(error: unknown): string {
  if (error instanceof Unreachable) return t('ui.unreachable');
  if (error instanceof ApiError) return sentence(error.message);
  return t('ui.failed', { message: error instanceof Error ? error.message : String(error) });
}

const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
