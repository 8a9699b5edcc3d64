/** What to do about something that went wrong on the way, and how long to wait before it is tried again. */
import { ApiError, Unreachable } from '../api/errors';
import { UNREADABLE } from './item';

/** The file cannot be read any more: it was moved, changed or deleted on the disk. */
export class Unreadable extends Error {
  override readonly message = UNREADABLE;
}

/** The address for the bytes takes them no more: a new one is to be asked for. */
export class AddressOver extends Error {
  constructor(status: number) {
    super(`the address answered ${status}`);
  }
}

/** `lost`: there is no reservation any more. `full`: nothing is left of the limit. `away`: nobody is signed in. */
export type Verdict = 'again' | 'lost' | 'full' | 'away' | 'stopped' | 'refused' | 'failed';

export const MOST_TRIES = 8; // of a server that answers, and fails: a dropped network is tried for ever
const FIRST = 1000;
const LONGEST = 60_000;
const LONGEST_AFTER = 6; // tries
const FULL: readonly string[] = ['UPLOAD_LIMIT_REACHED', 'LINK_FULL'];
const REFUSALS: readonly number[] = [400, 403, 413, 415, 422];

export function verdictOn(error: unknown, tries: number): Verdict {
  if (error instanceof DOMException && error.name === 'AbortError') return 'stopped';
  if (error instanceof Unreachable) return 'again';
  if (error instanceof Unreadable) return 'failed';
  const { status = 0, code = '' } = error instanceof ApiError ? error : {};
  if (status === 401) return 'away';
  if (FULL.includes(code)) return 'full';
  if (code === 'DAMAGED') return 'failed';
  if (REFUSALS.includes(status)) return 'refused';
  if (tries >= MOST_TRIES) return 'failed';
  return status === 404 ? 'lost' : 'again';
}

/** How many tries there have been now. Those that met no server do not use up what one is given that fails. */
export const oneMore = (error: unknown, tries: number): number =>
  error instanceof Unreachable && tries >= LONGEST_AFTER ? tries : tries + 1;

/** Milliseconds: twice as long each time, a little by chance so that many do not come back at once, and never sooner
 * than the server asks for.
 */
export function restAfter(error: unknown, tries: number, chance: number): number {
  const grown = Math.min(LONGEST, FIRST * 2 ** tries);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, grown * (0.75 + chance / 2));
}
