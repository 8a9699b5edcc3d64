/** Texts for errors of sign-in, registration and the identity provider. */
import { ApiError } from '../api/errors';
import { duration, t, type Key } from '../i18n/i18n.svelte';
import { errorText } from '../ui/toasts.svelte';

/** Codes that the server puts behind `?error=` when a sign-in by the provider fails. */
const PROVIDER: Readonly<Record<string, Key>> = {
  BEGIN_AGAIN: 'auth.provider.BEGIN_AGAIN',
  GAVE_UP: 'auth.provider.GAVE_UP',
  NO_EMAIL: 'auth.provider.NO_EMAIL',
  EMAIL_NOT_VERIFIED: 'auth.provider.EMAIL_NOT_VERIFIED',
  EMAIL_TAKEN: 'auth.provider.EMAIL_TAKEN',
  BY_INVITATION: 'auth.provider.BY_INVITATION',
  BEING_REMOVED: 'auth.provider.BEING_REMOVED',
  ALREADY_THERE: 'auth.provider.ALREADY_THERE',
  NOT_ALLOWED: 'auth.provider.NOT_ALLOWED',
  NOT_FOUND: 'auth.provider.NOT_FOUND',
  UNAVAILABLE: 'auth.provider.UNAVAILABLE',
  TOO_MANY_TRIES: 'auth.provider.TOO_MANY_TRIES',
};

export function providerErrorText(code: string): string {
  return t((Object.hasOwn(PROVIDER, code) && PROVIDER[code]) || 'auth.provider.OTHER');
}

/** Text of an error: `own` has the messages of this page, all other errors are shown as everywhere. */
export const authErrorText =
  (own: Readonly<Record<string, Key>>) =>
  (error: unknown): string => {
    if (!(error instanceof ApiError)) return errorText(error);
    if (error.code === 'TOO_MANY_TRIES') return t('auth.tooMany', { time: duration(error.retryAfter ?? 60) });
    // Over plain http the server may refuse passwords altogether: only its message tells.
    if (error.code === 'NOT_ALLOWED' && !isSecureContext) return errorText(error);
    const key = Object.hasOwn(own, error.code) ? own[error.code] : undefined;
    return key ? t(key) : errorText(error);
  };
