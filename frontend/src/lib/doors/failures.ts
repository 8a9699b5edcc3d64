/** Why somebody was not let in, in their words. */
import { ApiError } from '../api/errors';
import { duration, t, type Key } from '../i18n/i18n.svelte';
import { inWords } from '../ui/toasts.svelte';

/** What the server puts behind `?error=` when the provider sends somebody back who cannot come in. */
const PROVIDER: Readonly<Record<string, Key>> = {
  BEGIN_AGAIN: 'doors.provider.BEGIN_AGAIN',
  GAVE_UP: 'doors.provider.GAVE_UP',
  NO_EMAIL: 'doors.provider.NO_EMAIL',
  EMAIL_NOT_VERIFIED: 'doors.provider.EMAIL_NOT_VERIFIED',
  EMAIL_TAKEN: 'doors.provider.EMAIL_TAKEN',
  BY_INVITATION: 'doors.provider.BY_INVITATION',
  BEING_REMOVED: 'doors.provider.BEING_REMOVED',
  ALREADY_THERE: 'doors.provider.ALREADY_THERE',
  NOT_ALLOWED: 'doors.provider.NOT_ALLOWED',
  NOT_FOUND: 'doors.provider.NOT_FOUND',
  UNAVAILABLE: 'doors.provider.UNAVAILABLE',
  TOO_MANY_TRIES: 'doors.provider.TOO_MANY_TRIES',
};

export function ofProvider(code: string): string {
  return t((Object.hasOwn(PROVIDER, code) && PROVIDER[code]) || 'doors.provider.OTHER');
}

/** With what this door has to say about some codes; the rest is told as everywhere. */
export const atDoor =
  (own: Readonly<Record<string, Key>>) =>
  (error: unknown): string => {
    if (!(error instanceof ApiError)) return inWords(error);
    if (error.code === 'TOO_MANY_TRIES') return t('doors.tooMany', { time: duration(error.retryAfter ?? 60) });
    // Over plain http it may as well be that Sparks wants no password there: only the server can tell.
    if (error.code === 'NOT_ALLOWED' && !isSecureContext) return inWords(error);
    const key = Object.hasOwn(own, error.code) ? own[error.code] : undefined;
    return key ? t(key) : inWords(error);
  };
