/** Delay before a failed request is tried again. */
import { ApiError } from './errors';

const FIRST = 1000; // milliseconds
const LONGEST = 60_000;

/** Milliseconds: doubled with each try, with jitter, and never less than the server asks for. */
export function backoffDelay(error: unknown, tries: number, chance: number): number {
  const grown = Math.min(LONGEST, FIRST * 2 ** tries);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, grown * (0.75 + chance / 2));
}
