/** What a request that failed means for somebody who looks at a photo. */
import { ApiError } from '../api/errors';
import { session } from '../session.svelte';
import { toasts } from '../ui/toasts.svelte';

export function failed(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) session.isOver();
  else toasts.fail(error);
}

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
