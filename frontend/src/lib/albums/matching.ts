/** Things whose text has all of the words that were typed, at the beginning of its own; accents and case aside. */
export function matching<T>(things: readonly T[], typed: string, textOf: (thing: T) => string): readonly T[] {
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
