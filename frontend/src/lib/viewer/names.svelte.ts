/** The names that people have already, to choose from. */
import { api, told } from '../api/client';
import type { Person } from '../api/shapes';

const MOST_PAGES = 10;
const SHOWN = 6;

let known = $state.raw<readonly Person[]>([]);

export const names = {
  /** Everyone who has a name, those in most photos first. */
  async load(): Promise<void> {
    const found: Person[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { few: true, hidden: true, limit: 500, ...(cursor && { cursor }) };
      const { persons, lastEvaluatedKey } = await told(api.GET('/api/persons', { params: { query } }));
      found.push(...persons.filter(({ named }) => named));
      cursor = lastEvaluatedKey ?? undefined;
      if (!cursor) break;
    }
    known = found;
  },
  like: (text: string): readonly Person[] => like(text, known),
};

/** Those of whose names a word begins so, whatever the accents. */
export function like<T extends { readonly displayName: string }>(text: string, persons: readonly T[]): readonly T[] {
  const wanted = plain(text.trim());
  if (!wanted) return persons.slice(0, SHOWN);
  const begins = (name: string) =>
    name.startsWith(wanted) || name.includes(` ${wanted}`) || name.includes(`-${wanted}`);
  return persons.filter(({ displayName }) => begins(plain(displayName))).slice(0, SHOWN);
}

export const isSameName = (one: string, other: string): boolean => plain(one.trim()) === plain(other.trim());

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
