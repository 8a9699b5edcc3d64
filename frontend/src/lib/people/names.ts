/** Names as they are typed: without regard to case and accents, the likeliest person first. */
import type { Person } from '../api/shapes';

type Named = Pick<Person, 'displayName' | 'named' | 'photoCount'>;

/** Letters that are no other letter with a mark on it. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };
const MARKS = /\p{M}+/gu;
const SPACES = /\s+/g;

export function folded(name: string): string {
  const plain = name.normalize('NFKD').replace(MARKS, '').toLowerCase();
  return plain
    .replace(/[ßæœøłđı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(SPACES, ' ')
    .trim();
}

export const isSameName = (one: string, other: string): boolean => folded(one) === folded(other);

/** How well a name goes with what was typed: the lower the better, null for not at all. */
function fit(name: string, typed: string): number | null {
  if (name === typed) return 0;
  if (name.startsWith(typed)) return 1;
  if (name.split(/[\s\-'’.]/).some((word) => word.startsWith(typed))) return 2;
  return name.includes(typed) ? 3 : null;
}

/** Those whose name goes with what was typed; of two alike, the one in more photos first. All, where nothing was. */
export function ranked<T extends Named>(people: readonly T[], typed: string, most: number): T[] {
  const wanted = folded(typed);
  return people
    .flatMap((person) => {
      const place = wanted ? fit(person.named ? folded(person.displayName) : '', wanted) : 0;
      return place === null ? [] : [{ person, place }];
    })
    .sort((a, b) => a.place - b.place || (b.person.photoCount ?? 0) - (a.person.photoCount ?? 0))
    .slice(0, most)
    .map(({ person }) => person);
}
