/** Filters of a search, to and from the address and the API query. The address has the same parameters as the API. */

export type ChipKind = 'person' | 'tag' | 'album' | 'uploader' | 'camera' | 'kind' | 'favorite' | 'when' | 'near';

export interface Chip {
  readonly kind: ChipKind;
  /** For `when`: the first and the last day, such as `2025-06-01/2025-06-30`; either may be missing. */
  readonly value: string;
}

export type Sort = 'newest' | 'relevance';

export interface Filters {
  readonly text: string;
  readonly chips: readonly Chip[];
  readonly sort: Sort;
}

const SEVERAL: ReadonlySet<string> = new Set(['person', 'tag', 'album']); // of all other kinds, a new chip replaces the old one
const MOST = 20; // chips of one kind that the server accepts
const ONE: ReadonlySet<string> = new Set(['uploader', 'camera', 'kind', 'favorite', 'near']);

export const NO_FILTERS: Filters = { text: '', chips: [], sort: 'newest' };

export const hasNoFilters = ({ text, chips }: Filters): boolean => !text.trim() && !chips.length;
export const isSame = (one: Chip, other: Chip): boolean => one.kind === other.kind && one.value === other.value;
export const chipId = ({ kind, value }: Chip): string => `${kind}:${value}`;

/** Filters in an address; other parameters are ignored. */
export function filtersOf(query: URLSearchParams): Filters {
  let filters: Filters = {
    text: query.get('q') ?? '',
    chips: [],
    sort: query.get('sort') === 'relevance' ? 'relevance' : 'newest',
  };
  for (const [name, value] of query) {
    if (name === 'from' || name === 'to') {
      const chip: Chip = { kind: 'when', value: `${query.get('from') ?? ''}/${query.get('to') ?? ''}` };
      filters = withChip(filters, chip);
    } else if (value && (SEVERAL.has(name) || ONE.has(name)))
      filters = withChip(filters, { kind: name as ChipKind, value });
  }
  return filters;
}

/** Query of the address; equal filters in the same order give the same text. */
export function urlQueryOf({ text, chips, sort }: Filters): string {
  const query = new URLSearchParams();
  if (text.trim()) query.set('q', text.trim());
  for (const { kind, value } of chips) {
    if (kind === 'when') for (const [name, day] of Object.entries(daysIn(value))) query.append(name, day);
    else query.append(kind, value);
  }
  if (sort !== 'newest' && text.trim()) query.set('sort', sort);
  return query.toString();
}

export function withChip(filters: Filters, chip: Chip): Filters {
  const kept = filters.chips.filter((each) => (SEVERAL.has(chip.kind) ? !isSame(each, chip) : each.kind !== chip.kind));
  const isFull = kept.filter(({ kind }) => kind === chip.kind).length >= MOST;
  return isFull ? filters : { ...filters, chips: [...kept, chip] };
}

export const withoutChip = (filters: Filters, chip: Chip): Filters => ({
  ...filters,
  chips: filters.chips.filter((each) => !isSame(each, chip)),
});

export interface SearchQuery {
  q: string;
  tag: string[];
  person: string[];
  album: string[];
  uploader?: string;
  camera?: string;
  kind?: 'photo' | 'video';
  favorite?: boolean;
  from?: string;
  to?: string;
  near?: string;
}

/** Query of the API. */
export function searchQueryOf({ text, chips }: Filters): SearchQuery {
  const asked: SearchQuery = { q: text.trim(), tag: [], person: [], album: [] };
  for (const { kind, value } of chips) {
    if (kind === 'person' || kind === 'tag' || kind === 'album') asked[kind].push(value);
    else if (kind === 'when') Object.assign(asked, daysIn(value));
    else if (kind === 'favorite') asked.favorite = value === 'true';
    else if (kind === 'kind') asked.kind = value === 'video' ? 'video' : 'photo';
    else asked[kind] = value;
  }
  return asked;
}

function daysIn(value: string): { from?: string; to?: string } {
  const [from, to] = value.split('/');
  return { ...(from && { from }), ...(to && { to }) };
}
