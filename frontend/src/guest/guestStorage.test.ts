import { describe, expect, it } from 'vitest';
import { linkIdOf, secretFromHash } from './guestStorage';

describe('what stands behind the #', () => {
  it('is the secret, however the browser writes it', () => {
    expect(secretFromHash('#abc.DEF_-1')).toBe('abc.DEF_-1');
    expect(secretFromHash('#abc%2EDEF')).toBe('abc.DEF');
    expect(secretFromHash('#100%')).toBe('100%');
  });
  it('is nothing where there is nothing', () => {
    expect([secretFromHash(''), secretFromHash('#')]).toEqual([null, null]);
  });
  it('begins with what finds the link, and opens nothing', () => {
    expect(linkIdOf('abc.DEF')).toBe('abc');
  });
});
