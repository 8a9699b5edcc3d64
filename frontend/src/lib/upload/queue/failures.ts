/** Classification of failures of an upload. */
import { ApiError, Unreachable } from '../../api/errors';
import { UNREADABLE } from './queueItem';

/** The file cannot be read: it was moved, changed or deleted on the disk. */
export class UnreadableFile extends Error {
  override readonly message = UNREADABLE;
}

/** The upload URL is no longer valid: a new one must be requested. */
export class UploadUrlExpired extends Error {
  constructor(status: number) {
    super(`the address answered ${status}`);
  }
}

/** `lost`: the reservation is gone. `full`: the quota is used up. `away`: no user is signed in. */
export type FailureKind = 'again' | 'lost' | 'full' | 'away' | 'stopped' | 'refused' | 'failed';

export const MOST_TRIES = 8; // of a server that responds with errors; network errors are retried without limit
const LONGEST_AFTER = 6; // tries
const FULL: readonly string[] = ['UPLOAD_LIMIT_REACHED', 'LINK_FULL'];
const REFUSALS: readonly number[] = [400, 403, 413, 415, 422];

export function classifyFailure(error: unknown, tries: number): FailureKind {
  if (error instanceof DOMException && error.name === 'AbortError') return 'stopped';
  if (error instanceof Unreachable) return 'again';
  if (error instanceof UnreadableFile) return 'failed';
  const { status = 0, code = '' } = error instanceof ApiError ? error : {};
  if (status === 401) return 'away';
  if (FULL.includes(code)) return 'full';
  if (code === 'DAMAGED') return 'failed';
  if (REFUSALS.includes(status)) return 'refused';
  if (tries >= MOST_TRIES) return 'failed';
  return status === 404 ? 'lost' : 'again';
}

/** Number of tries including this one. Network errors count only up to a limit, so that they do not use up the tries of
 * a failing server.
 */
export const countTry = (error: unknown, tries: number): number =>
  error instanceof Unreachable && tries >= LONGEST_AFTER ? tries : tries + 1;
