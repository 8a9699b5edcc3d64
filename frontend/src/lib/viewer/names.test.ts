import { expect, it } from 'vitest';
import { isSameName, like } from './names.svelte';

const PERSONS = ['Zoë Okafor', 'Anna-Lena Müller', 'Ann', 'Bo', 'Cy', 'Di', 'Ed', 'Fay'].map((displayName) => ({
  displayName,
}));
const found = (text: string) => like(text, PERSONS).map(({ displayName }) => displayName);

it('finds names by the beginning of any of their words, whatever accents and case', () => {
  expect(found('zoe')).toEqual(['Zoë Okafor']);
  expect(found('MUL')).toEqual(['Anna-Lena Müller']);
  expect(found('lena')).toEqual(['Anna-Lena Müller']);
  expect(found('ann')).toEqual(['Anna-Lena Müller', 'Ann']);
  expect(found('kaf')).toEqual([]);
});

it('shows a few before anything is written', () => {
  expect(found(' ')).toHaveLength(6);
});

it('knows a name again', () => {
  expect(isSameName(' zoe okafor', 'Zoë Okafor ')).toBe(true);
  expect(isSameName('Ann', 'Anna')).toBe(false);
});
