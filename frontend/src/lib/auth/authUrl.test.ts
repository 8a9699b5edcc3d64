import { describe, expect, it } from 'vitest';
import { safeRedirectPath, clearUrlSecret, takeUrlSecret } from './authUrl';

const HERE = 'https://photos.example.org';

describe('where to go after the door', () => {
  it.each(['/people', '/people/7?photo=3', '/profile/keys', '/?photo=x'])(
    'is the page that was asked for: %s',
    (asked) => {
      expect(safeRedirectPath(asked, HERE)).toBe(asked);
    },
  );

  it.each([
    null,
    '',
    'people',
    'https://evil.example',
    '//evil.example/people',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/signin?next=/signin',
    '/register',
    '/setup/',
    '/api/oidc/login',
    '/media/x',
  ])('is the start for %j', (asked) => {
    expect(safeRedirectPath(asked, HERE)).toBe('/');
  });

  it('stays here even with dots that climb', () => {
    expect(safeRedirectPath('/people/../signin', HERE)).toBe('/');
    expect(safeRedirectPath('/../../people', HERE)).toBe('/people');
  });
});

/** Address bar with the state of its history entry. */
function bar(hash: string, state: unknown = null) {
  const told = { location: { hash, pathname: '/setup' }, history: { state, replaceState }, shown: `/setup${hash}` };
  function replaceState(state: unknown, _: string, shown?: string | URL | null) {
    told.history.state = state;
    told.shown = String(shown);
    told.location.hash = '';
  }
  return told;
}

describe('the secret of a link', () => {
  it('is taken out of the address bar', () => {
    const here = bar('#abc');
    expect(takeUrlSecret(here)).toBe('abc');
    expect(here.shown).toBe('/setup');
  });

  it('is still known after a reload', () => {
    const here = bar('#abc');
    takeUrlSecret(here);
    expect(takeUrlSecret(here)).toBe('abc');
  });

  it('gives way to the one of another link', () => {
    expect(takeUrlSecret(bar('#new', { secret: 'old' }))).toBe('new');
  });

  it('is none where there was none', () => {
    const here = bar('', { scroll: 3 });
    expect(takeUrlSecret(here)).toBeNull();
    expect(here.history.state).toEqual({ scroll: 3 });
  });

  it('is forgotten once it was used', () => {
    const here = bar('#abc');
    takeUrlSecret(here);
    clearUrlSecret(here);
    expect(takeUrlSecret(here)).toBeNull();
  });
});
