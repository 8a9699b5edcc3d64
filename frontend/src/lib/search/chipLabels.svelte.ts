/** Texts, icons, names and faces of filter chips. */
import { api, unwrap } from '../api/client';
import type { Person } from '../api/types';
import { date, monthName, t } from '../i18n/i18n.svelte';
import type { IconName } from '../ui/icons';
import { dateRangeOf } from './dateRanges';
import { type Chip, type ChipKind, chipId } from './searchFilters';

export const CHIP_ICONS: Readonly<Record<ChipKind, IconName>> = {
  person: 'person',
  tag: 'tag',
  album: 'album',
  uploader: 'members',
  camera: 'camera',
  kind: 'photos',
  favorite: 'heart',
  when: 'clock',
  near: 'map',
};

export function chipLabel(chip: Chip): string {
  switch (chip.kind) {
    case 'person':
      return chipNames.of(chip)?.label || t('search.unnamed');
    case 'album':
      return chipNames.of(chip)?.label ?? t('search.album');
    case 'uploader':
      return chipNames.of(chip)?.label ?? chip.value;
    case 'kind':
      return t(chip.value === 'video' ? 'search.videos' : 'search.photos');
    case 'favorite':
      return t(chip.value === 'true' ? 'search.favorites' : 'search.notFavorites');
    case 'when':
      return timeInWords(chip.value);
    case 'near':
      return placeInWords(chip.value);
    default:
      return chip.value;
  }
}

function timeInWords(value: string): string {
  const when = dateRangeOf(value);
  if ('year' in when) return String(when.year);
  if ('month' in when) return monthName(when.month);
  const [from, to] = [when.from && dayInWords(when.from), when.to && dayInWords(when.to)];
  if (from && to) return from === to ? from : `${from} – ${to}`;
  return from ? t('search.since', { day: from }) : t('search.until', { day: to ?? '' });
}

/** A value that is no date is shown as it is. */
function dayInWords(day: string): string {
  const time = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? day : date(time, { dateStyle: 'medium', timeZone: 'UTC' });
}

function placeInWords(value: string): string {
  const [latitude = '', longitude = '', km = ''] = value.split(',');
  return t('search.near', { place: `${latitude}, ${longitude}`, km });
}

export interface ChipName {
  readonly label: string;
  readonly face?: string | null;
}

let known = $state.raw<ReadonlyMap<string, ChipName>>(new Map());
const asked = new Set<string>();

/** Names and faces of filter chips: known from picked suggestions, or requested once. */
export const chipNames = {
  /** Undefined while unknown, and for things that do not exist. */
  of: (chip: Chip): ChipName | undefined => known.get(chipId(chip)),
  learn(chip: Chip, named: ChipName): void {
    known = new Map([...known, [chipId(chip), named]]);
  },
  /** Requests the names that are unknown. */
  async ask(chips: readonly Chip[]): Promise<void> {
    const missing = chips.filter((chip) => !known.has(chipId(chip)) && !asked.has(chipId(chip)));
    await Promise.all(missing.map(ask));
  },
};

/** Something that the user may not see has no name: the search reports it. */
async function ask(chip: Chip): Promise<void> {
  asked.add(chipId(chip));
  try {
    const named = await find(chip);
    if (named) chipNames.learn(chip, named);
  } catch {
    asked.delete(chipId(chip));
  }
}

async function find({ kind, value }: Chip): Promise<ChipName | null> {
  if (kind === 'person')
    return chipNameOfPerson(
      await unwrap(api.GET('/api/persons/{personId}', { params: { path: { personId: value } } })),
    );
  if (kind === 'album') {
    const { title } = await unwrap(api.GET('/api/albums/{albumId}', { params: { path: { albumId: value } } }));
    return { label: title };
  }
  if (kind === 'uploader') {
    const user = await unwrap(api.GET('/api/users/{email}', { params: { path: { email: value } } }));
    return { label: user.username };
  }
  return null;
}

export const chipNameOfPerson = (person: Person): ChipName => ({
  label: person.named ? person.displayName : '',
  face: person.thumbUrl ?? null,
});
