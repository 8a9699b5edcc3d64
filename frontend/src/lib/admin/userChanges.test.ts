import { describe, expect, it } from 'vitest';
import { changedFields } from './userChanges';

const BEFORE = { role: 'member', uploadLimit: { limit: 100, bytesLeft: 2_500_000_000 } } as const;
const SAME = { role: 'member', photos: 100, gigabytes: 2.5, password: '' } as const;

describe('what changed of an account', () => {
  it('is nothing where all is as it was', () => {
    expect(changedFields(SAME, BEFORE)).toEqual({});
  });

  it('is what was changed, and nothing else', () => {
    expect(changedFields({ ...SAME, photos: 0 }, BEFORE)).toEqual({ limit: 0 });
    expect(changedFields({ ...SAME, gigabytes: 3 }, BEFORE)).toEqual({ bytesLeft: 3_000_000_000 });
    expect(changedFields({ ...SAME, role: 'admin', password: 'a new one' }, BEFORE)).toEqual({
      role: 'admin',
      password: 'a new one',
    });
  });

  it('leaves alone what was emptied', () => {
    expect(changedFields({ ...SAME, photos: null, gigabytes: null }, BEFORE)).toEqual({});
  });
});
