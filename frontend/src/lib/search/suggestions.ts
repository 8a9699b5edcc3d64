/** What may be meant by what is typed: each is a chip, and what stays in the box once it is picked. */
import type { Suggestions } from '../api/shapes';
import { folded } from '../people/names';
import { idOf, isSame, type Chip } from './filters';
import { typedTimes } from './times';

export interface Option {
  readonly id: string;
  readonly chip: Chip;
  /** Of what has a name that its value does not tell. */
  readonly label?: string;
  readonly face?: string | null;
  readonly photos?: number;
  readonly rest: string;
}

/** A word that stands for a chip in the reader's language. */
export interface Word {
  readonly word: string;
  readonly chip: Chip;
}

const MOST = 8;

/** What suggestions are asked for: all of it, and the last word alone; with what stays of the text when one is picked. */
export function tailsOf(text: string): { readonly typed: string; readonly rest: string }[] {
  const whole = text.trim().replace(/\s+/g, ' ');
  const at = whole.lastIndexOf(' ');
  if (!whole) return [];
  const all = { typed: whole, rest: '' };
  return at < 0 ? [all] : [all, { typed: whole.slice(at + 1), rest: whole.slice(0, at) }];
}

/** What the server knows, persons first. */
export function toldOptions(told: Suggestions, rest: string): Option[] {
  const option = (chip: Chip, more: Partial<Option> = {}): Option => ({ id: idOf(chip), chip, rest, ...more });
  return [
    ...told.persons.map((person) =>
      option(
        { kind: 'person', value: person.personId },
        { label: person.displayName, face: person.thumbUrl ?? null, photos: person.photoCount ?? 0 },
      ),
    ),
    ...told.albums.map(({ albumId, title }) => option({ kind: 'album', value: albumId }, { label: title })),
    ...told.tags.map(({ tag, count }) => option({ kind: 'tag', value: tag }, { photos: count })),
    ...told.cameras.map((camera) => option({ kind: 'camera', value: camera })),
    ...told.members.map(({ email, username }) => option({ kind: 'uploader', value: email }, { label: username })),
  ];
}

/** What needs no server: times, kinds, favourites. */
export function ownOptions(text: string, words: readonly Word[], locale: string, now: Date): Option[] {
  return tailsOf(text).flatMap(({ typed, rest }) => {
    const times = typedTimes(typed, locale, now).map((value): Chip => ({ kind: 'when', value }));
    const named = words.filter(({ word }) => typed.length > 1 && folded(word).startsWith(folded(typed)));
    return [...times, ...named.map(({ chip }) => chip)].map((chip) => ({ id: idOf(chip), chip, rest }));
  });
}

/** Each once, a few, without what is chosen already. */
export function offered(options: readonly Option[], chosen: readonly Chip[]): Option[] {
  const seen = new Set<string>();
  const isNew = ({ id, chip }: Option) => !seen.has(id) && seen.add(id) && !chosen.some((other) => isSame(chip, other));
  return options.filter(isNew).slice(0, MOST);
}
