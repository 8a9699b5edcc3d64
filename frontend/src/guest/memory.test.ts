import { describe, expect, it } from 'vitest';
import { linkIn, secretIn } from './memory';

describe('what stands behind the #', () => {
  it('is the secret, however the browser writes it', () => {
    expect(secretIn('#abc.DEF_-1')).toBe('abc.DEF_-1');
    expect(secretIn('#abc%2EDEF')).toBe('abc.DEF');
    expect(secretIn('#100%')).toBe('100%');
  });
  it('is nothing where there is nothing', () => {
    expect([secretIn(''), secretIn('#')]).toEqual([null, null]);
  });
  it('begins with what finds the link, and opens nothing', () => {
    expect(linkIn('abc.DEF')).toBe('abc');
  });
});
