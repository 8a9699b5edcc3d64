import { describe, expect, it } from 'vitest';
import { passwordStrength } from './passwordStrength';

describe('the strength of a password', () => {
  it.each(['', 'a', 'ninechars'])('is short below ten characters: %j', (text) => {
    expect(passwordStrength(text)).toBe('short');
  });

  it.each(['aaaaaaaaaaaa', 'abcdefghijkl', '1234567890', 'password123', 'qwertyuiop'])(
    'is weak where it is what others try: %s',
    (text) => {
      expect(passwordStrength(text)).toBe('weak');
    },
  );

  it('is weak where it holds the address', () => {
    expect(passwordStrength('mia.meier.12', 'mia.meier@example.com')).toBe('weak');
  });

  it('grows with every word', () => {
    expect(passwordStrength('correct horse')).toBe('fair');
    expect(passwordStrength('correct horse battery')).toBe('good');
    expect(passwordStrength('correct horse battery staple')).toBe('strong');
  });

  it('grows with kinds of letters', () => {
    expect(passwordStrength('xK9#pQ2!vL')).toBe('good');
  });

  it('counts letters, not how a keyboard composes them', () => {
    expect(passwordStrength('e\u0301'.repeat(9))).toBe('short');
  });
});
