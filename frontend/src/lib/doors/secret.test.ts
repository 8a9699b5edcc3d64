import { describe, expect, it } from 'vitest';
import { dropSecret, takeSecret } from './secret';

/** An address bar, with what the browser keeps beside it. */
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
    expect(takeSecret(here)).toBe('abc');
    expect(here.shown).toBe('/setup');
  });

  it('is still known after a reload', () => {
    const here = bar('#abc');
    takeSecret(here);
    expect(takeSecret(here)).toBe('abc');
  });

  it('gives way to the one of another link', () => {
    expect(takeSecret(bar('#new', { secret: 'old' }))).toBe('new');
  });

  it('is none where there was none', () => {
    const here = bar('', { scroll: 3 });
    expect(takeSecret(here)).toBeNull();
    expect(here.history.state).toEqual({ scroll: 3 });
  });

  it('is forgotten once it was used', () => {
    const here = bar('#abc');
    takeSecret(here);
    dropSecret(here);
    expect(takeSecret(here)).toBeNull();
  });
});
