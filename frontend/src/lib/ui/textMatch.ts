/** Matching of typed text with names, without regard to case and accents. */
import type { Person } from '../api/types';

type Named = Pick<Person, 'displayName' | 'named' | 'photoCount'>;

/** Letters that Unicode does not decompose into a letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };
const MARKS = /\p{M}+/gu;
const SPACES = /\s+/g;

export function foldText(name: string): string {
  const plain = name.normalize('NFKD').replace(MARKS, '').toLowerCase();
  return plain
    .replace(/[ßæœøłđı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(SPACES, ' ')
    .trim();
}

export const isSameName = (one: string, other: string): boolean => foldText(one) === foldText(other);

/** Rank of a name for the typed text: lower is better, null for no match. */
function fit(name: string, typed: string): number | null {
  if (name === typed) return 0;
  if (name.startsWith(typed)) return 1;
  if (name.split(/[\s\-'’.]/).some((word) => word.startsWith(typed))) return 2;
  return name.includes(typed) ? 3 : null;
}

/** People whose name matches the typed text, better matches and more photos first. All people if nothing was typed. */
export function rankByName<T extends Named>(people: readonly T[], typed: string, most: number): T[] {
  const wanted = foldText(typed);
  return people
    .flatMap((person) => {
      const place = wanted ? fit(person.named ? foldText(person.displayName) : '', wanted) : 0;
      return place === null ? [] : [{ person, place }];
    })
    .sort((a, b) => a.place - b.place || (b.person.photoCount ?? 0) - (a.person.photoCount ?? 0))
    .slice(0, most)
    .map(({ person }) => person);
}

/** Items whose text has words that begin with all typed words, without regard to case and accents. */
export function filterByWords<T>(things: readonly T[], typed: string, textOf: (thing: T) => string): readonly T[] {
  const wanted = wordsOf(typed);
  return things.filter((thing) => {
    const words = wordsOf(textOf(thing));
    return wanted.every((want) => words.some((word) => word.startsWith(want)));
  });
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
