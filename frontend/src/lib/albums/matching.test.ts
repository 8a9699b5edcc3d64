import { describe, expect, it } from 'vitest';
import { matching } from './matching';

const found = (typed: string) => matching(['Été à Nice', 'Summer 2025', 'Our wedding'], typed, (text) => text);

describe('what was typed', () => {
  it('finds the beginnings of words, whatever their accents', () => {
    expect(found('ete')).toEqual(['Été à Nice']);
    expect(found('2025 sum')).toEqual(['Summer 2025']);
    expect(found('edding')).toEqual([]);
  });
  it('finds everything while nothing is typed', () => {
    expect(found('  ')).toHaveLength(3);
  });
});
