import { describe, expect, it } from 'vitest';
import { ownPath } from './next';

const HERE = 'https://photos.example.org';

describe('where to go after the door', () => {
  it.each(['/people', '/people/7?photo=3', '/profile/keys', '/?photo=x'])(
    'is the page that was asked for: %s',
    (asked) => {
      expect(ownPath(asked, HERE)).toBe(asked);
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
    expect(ownPath(asked, HERE)).toBe('/');
  });

  it('stays here even with dots that climb', () => {
    expect(ownPath('/people/../signin', HERE)).toBe('/');
    expect(ownPath('/../../people', HERE)).toBe('/people');
  });
});
