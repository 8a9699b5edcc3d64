import { describe, expect, it, vi } from 'vitest';
import type { Suggestions } from '../api/types';
import { dateRangeOf, parseTypedDates } from './dateRanges';
import type { Chip } from './searchFilters';

vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => undefined });
vi.stubGlobal('navigator', { languages: ['en-GB'] });

const { localOptions, queryTails, serverOptions, uniqueOptions } = await import('./suggestions.svelte');

const NOW = new Date('2026-07-15T12:00:00Z');
const NONE: Suggestions = { persons: [], albums: [], tags: [], cameras: [], members: [] };
const VIDEOS: Chip = { kind: 'kind', value: 'video' };
const times = (text: string, locale = 'en') => parseTypedDates(text, locale, NOW);

describe('what was typed', () => {
  it('may be one name of several words, or words and a name', () => {
    expect(queryTails('anna')).toEqual([{ typed: 'anna', rest: '' }]);
    expect(queryTails('  by the  sea ')).toEqual([
      { typed: 'by the sea', rest: '' },
      { typed: 'sea', rest: 'by the' },
    ]);
    expect(queryTails('   ')).toEqual([]);
  });

  it('leaves in the box what the option was not typed with', () => {
    const [option] = serverOptions({ ...NONE, tags: [{ tag: 'sea', count: 3 }] }, 'by the');
    expect(option).toMatchObject({ chip: { kind: 'tag', value: 'sea' }, photos: 3, rest: 'by the' });
  });

  it('may be a word of the reader’s language', () => {
    const words = [{ word: 'Vidéos', chip: VIDEOS }];
    expect(localOptions('plage vid', words, 'fr', NOW)).toMatchObject([{ chip: VIDEOS, rest: 'plage' }]);
    expect(localOptions('v', words, 'fr', NOW)).toEqual([]);
  });
});

describe('options', () => {
  it('are each there once, and not what was chosen', () => {
    const tag = (value: string) => ({ ...NONE, tags: [{ tag: value, count: 1 }] });
    const told = [
      ...serverOptions(tag('sea'), ''),
      ...serverOptions(tag('sea'), 'x'),
      ...serverOptions(tag('sun'), ''),
    ];
    expect(uniqueOptions(told, [{ kind: 'tag', value: 'sun' }]).map(({ id }) => id)).toEqual(['tag:sea']);
  });
});

describe('times', () => {
  it.each([
    ['2024', ['2024-01-01/2024-12-31']],
    ['2024-02', ['2024-02-01/2024-02-29']],
    ['6/2023', ['2023-06-01/2023-06-30']],
    ['June 24', ['2024-06-01/2024-06-30']],
    ['1700', []],
    ['2024-13', []],
    ['ju', []],
    ['hello', []],
  ])('%s', (text, expected) => expect(times(text)).toEqual(expected));

  it('of a month alone are the last ones', () => {
    expect(times('june').map((value) => value.slice(0, 7))).toEqual(['2026-06', '2025-06', '2024-06']);
    expect(times('aug')[0]).toBe('2025-08-01/2025-08-31');
  });

  it('are named in the reader’s language', () => {
    expect(times('März 2025', 'de')).toEqual(['2025-03-01/2025-03-31']);
    expect(times('fev', 'fr')[0]).toBe('2026-02-01/2026-02-28');
    expect(times('junio de 2025', 'es')).toEqual(['2025-06-01/2025-06-30']);
  });

  it('are said as shortly as can be', () => {
    expect(dateRangeOf('2024-01-01/2024-12-31')).toEqual({ year: 2024 });
    expect(dateRangeOf('2024-02-01/2024-02-29')).toEqual({ month: '2024-02' });
    expect(dateRangeOf('2024-02-01/2024-02-28')).toEqual({ from: '2024-02-01', to: '2024-02-28' });
    expect(dateRangeOf('/2024-02-28')).toEqual({ from: undefined, to: '2024-02-28' });
  });
});
