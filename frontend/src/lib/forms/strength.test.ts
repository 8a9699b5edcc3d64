import { describe, expect, it } from 'vitest';
import { strengthOf } from './strength';

describe('the strength of a password', () => {
  it.each(['', 'a', 'ninechars'])('is short below ten characters: %j', (text) => {
    expect(strengthOf(text)).toBe('short');
  });

  it.each(['aaaaaaaaaaaa', 'abcdefghijkl', '1234567890', 'password123', 'qwertyuiop'])(
    'is weak where it is what others try: %s',
    (text) => {
      expect(strengthOf(text)).toBe('weak');
    },
  );

  it('is weak where it holds the address', () => {
    expect(strengthOf('mia.meier.12', 'mia.meier@example.com')).toBe('weak');
  });

  it('grows with every word', () => {
    expect(strengthOf('correct horse')).toBe('fair');
    expect(strengthOf('correct horse battery')).toBe('good');
    expect(strengthOf('correct horse battery staple')).toBe('strong');
  });

  it('grows with kinds of letters', () => {
    expect(strengthOf('xK9#pQ2!vL')).toBe('good');
  });

  it('counts letters, not how a keyboard composes them', () => {
    expect(strengthOf('e\u0301'.repeat(9))).toBe('short');
  });
});
