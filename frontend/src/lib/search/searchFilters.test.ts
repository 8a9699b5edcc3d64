import { describe, expect, it } from 'vitest';
import {
  searchQueryOf,
  filtersOf,
  hasNoFilters,
  NO_FILTERS,
  urlQueryOf,
  withChip,
  withoutChip,
  type Chip,
} from './searchFilters';

const there = (address: string) => filtersOf(new URLSearchParams(address));
const SEA: Chip = { kind: 'tag', value: 'sea & <b>sand</b>' };

describe('what is searched for', () => {
  it('comes back from the address as it went', () => {
    const filters = {
      text: 'große Brücke',
      chips: [
        { kind: 'person', value: 'person1' },
        SEA,
        { kind: 'person', value: 'person2' },
        { kind: 'when', value: '2024-06-01/2024-06-30' },
        { kind: 'near', value: '48.1,11.5,5' },
        { kind: 'favorite', value: 'true' },
      ],
      sort: 'relevance',
    } as const;
    expect(there(urlQueryOf(filters))).toEqual(filters);
  });

  it('is asked for in the words of the API', () => {
    const asked = searchQueryOf(
      there('q=+sea+&person=person1&person=person2&to=2024-06-30&favorite=false&kind=video&camera=X'),
    );
    expect(asked).toEqual({
      q: 'sea',
      person: ['person1', 'person2'],
      tag: [],
      album: [],
      to: '2024-06-30',
      favorite: false,
      kind: 'video',
      camera: 'X',
    });
  });

  it('passes over what is no filter', () => {
    expect(there('photo=abc&tag=&limit=3&sort=upside-down')).toEqual(NO_FILTERS);
    expect(hasNoFilters(there('q=%20%20'))).toBe(true);
  });

  it('says nothing of the order where there are no words to go by', () => {
    expect(urlQueryOf({ ...NO_FILTERS, chips: [SEA], sort: 'relevance' })).toBe(
      new URLSearchParams({ tag: SEA.value }).toString(),
    );
  });
});

describe('chips', () => {
  it('of persons, tags and albums add up, each once', () => {
    const both = withChip(withChip(withChip(NO_FILTERS, SEA), { kind: 'tag', value: 'sun' }), SEA);
    expect(both.chips.map(({ value }) => value)).toEqual(['sun', SEA.value]);
  });

  it('of all else take the place of the one before', () => {
    const year = withChip(there('from=2020-01-01&to=2020-12-31'), { kind: 'when', value: '2021-01-01/2021-12-31' });
    expect(urlQueryOf(year)).toBe('from=2021-01-01&to=2021-12-31');
  });

  it('are no more than the server takes', () => {
    const many = Array.from({ length: 25 }, (_, at): Chip => ({ kind: 'tag', value: `${at}` }));
    expect(many.reduce(withChip, NO_FILTERS).chips).toHaveLength(20);
  });

  it('are taken away one by one', () => {
    expect(withoutChip(withChip(NO_FILTERS, SEA), { ...SEA })).toEqual(NO_FILTERS);
  });
});
