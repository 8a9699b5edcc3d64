import { describe, expect, it } from 'vitest';
import { foldText, isSameName, rankByName, filterByWords } from './textMatch';

const person = (displayName: string, photoCount = 1, named = true) => ({ displayName, photoCount, named });
const names = (people: { displayName: string }[]) => people.map(({ displayName }) => displayName);

describe('names', () => {
  it('are the same whatever their case, accents and spaces', () => {
    expect(isSameName('  José   Núñez', 'jose nunez')).toBe(true);
    expect(isSameName(' zoe okafor', 'Zoë Okafor ')).toBe(true);
    expect(isSameName('Groß', 'GROSS')).toBe(true);
    expect(isSameName('Søren Æbelø', 'soren aebelo')).toBe(true);
    expect(isSameName('Ann', 'Anna')).toBe(false);
    expect(foldText('Łukasz')).toBe('lukasz');
  });

  it('that begin so come before those with such a word, and these before those that contain it', () => {
    const people = [person('Joanna', 90), person('Marie-Ann', 50), person('Lee Ann', 20), person('Annika', 1)];
    expect(names(rankByName(people, 'ann', 9))).toEqual(['Annika', 'Marie-Ann', 'Lee Ann', 'Joanna']);
  });

  it('that are just what was typed come first, though others are in more photos', () => {
    expect(names(rankByName([person('Annika', 90), person('Ann', 1)], 'ANN', 9))).toEqual(['Ann', 'Annika']);
  });

  it('are found without their accents, and with them', () => {
    const people = [person('Édouard'), person('Zoë')];
    expect(names(rankByName(people, 'edo', 9))).toEqual(['Édouard']);
    expect(names(rankByName(people, 'ZOË', 9))).toEqual(['Zoë']);
  });

  it('are found by the beginning of any of their words', () => {
    const people = [person('Zoë Okafor'), person('Anna-Lena Müller'), person('Bo')];
    expect(names(rankByName(people, 'zoe', 6))).toEqual(['Zoë Okafor']);
    expect(names(rankByName(people, 'MUL', 6))).toEqual(['Anna-Lena Müller']);
    expect(names(rankByName(people, 'lena', 6))).toEqual(['Anna-Lena Müller']);
  });

  it('leave out persons without a name, whose id is no name', () => {
    expect(rankByName([person('person1', 9, false)], 'person', 9)).toEqual([]);
  });

  it('are all there where nothing was typed, those in most photos first, and no more than asked for', () => {
    const people = [person('Ann', 1), person('person2', 9, false), person('Bo', 5)];
    expect(names(rankByName(people, ' ', 2))).toEqual(['person2', 'Bo']);
  });
});

const found = (typed: string) => filterByWords(['Été à Nice', 'Summer 2025', 'Our wedding'], typed, (text) => text);

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
