import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/errors';

vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => undefined });
vi.stubGlobal('navigator', { languages: ['en-GB'] });
vi.stubGlobal('isSecureContext', true);
vi.stubGlobal('document', { documentElement: {}, addEventListener: () => undefined });

const { i18n } = await import('../i18n/i18n.svelte');
const { authErrorText, providerErrorText } = await import('./authErrors');

beforeAll(async () => {
  await i18n.start();
  await i18n.more('account');
});

describe('the reason of a refused sign-in', () => {
  it('is a sentence for a code of the provider', () => {
    expect(providerErrorText('GAVE_UP')).toMatch(/cancelled/);
  });

  it.each(['nonsense', '', 'constructor', '<b>'])('is a sentence for any other code: %j', (code) => {
    expect(providerErrorText(code)).toMatch(/did not work/);
  });

  it('tells for how long to wait', () => {
    const many = new ApiError(429, 'TOO_MANY_TRIES', 'wait', null, {}, 290);
    expect(authErrorText({})(many)).toMatch(/5 minutes/);
  });

  it('is in the words of the door where it has some, else in those of the server', () => {
    const wrong = new ApiError(401, 'NOT_SIGNED_IN', 'the server says so', null, {});
    expect(authErrorText({ NOT_SIGNED_IN: 'auth.wrong' })(wrong)).toMatch(/wrong/);
    expect(authErrorText({})(wrong)).toBe('The server says so.');
  });
});
