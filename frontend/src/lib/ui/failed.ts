/** What a request that failed means for somebody who looks at a page. */
import { ApiError } from '../api/errors';
import { toasts } from './toasts.svelte';

/** As a toast, unless the session is over: then the door says so. */
export function failed(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 401)) toasts.fail(error);
}
