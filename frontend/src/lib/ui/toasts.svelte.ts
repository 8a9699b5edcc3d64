/** Store of toasts, and the texts of errors. A toast says what was done, with an undo, or what went wrong. */
import { ApiError, Unreachable } from '../api/errors';
import { t } from '../i18n/translate.svelte';
import { copyText } from './clipboard';

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
  /** Shows what was done; `undo` adds a button. */
  say(text: string, undo?: () => void): number {
    const action = undo && { label: t('ui.undo'), run: undo };
    return add({ text, isError: false, ...(action && { action }) }, undo ? 2 * STAYS : STAYS);
  },
  offer(text: string, label: string, run: () => void): number {
    return add({ text, isError: false, action: { label, run } }, 2 * STAYS);
  },
  /** Shows an error; for an error of the server, with a button that copies the request id. */
  fail(error: unknown): number {
    const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
    const copy = { label: t('ui.copyRequestId'), run: () => void copyText(requestId ?? '').catch(() => undefined) };
    return add({ text: errorText(error), isError: true, ...(requestId && { action: copy }) }, 2 * STAYS);
  },
  drop(id: number): void {
    all = all.filter((toast) => toast.id !== id);
  },
};

/** Error as a sentence for the user. */
export function errorText(error: unknown): string {
  if (error instanceof Unreachable) return t('ui.unreachable');
  if (error instanceof ApiError) return sentence(error.message);
  return t('ui.failed', { message: error instanceof Error ? error.message : String(error) });
}

const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

/** Shows a failed request as a toast, unless the session has ended: then the sign-in page is shown. */
export function toastError(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 401)) toasts.fail(error);
}
