/** What a link is made with, as a form holds it; and what the server is asked for. */
import type { components } from '../api/schema';
import type { LinkPermission, ShareLink } from '../api/shapes';
import type { Key } from '../i18n/i18n.svelte';
import { inOrder, PRESETS } from './presets';

export type NewWish = components['schemas']['NewLink'];
export type ChangeWish = components['schemas']['LinkChange'];

const GIGABYTE = 1e9;
const SHORTEST_PASSWORD = 4;
export const MOST_PERSONS = 5;

/** What can be changed later, besides the password. */
const CHANGEABLE = ['allow', 'expiresAt', 'revealAt', 'moderated', 'askName', 'showMetadata', 'caps'] as const;

export interface Terms {
  allow: LinkPermission[];
  isOfPersons: boolean;
  persons: string[];
  asksPassword: boolean;
  /** Empty in the form of a link that has one already: that one stays. */
  password: string;
  /** As the browser's fields write a time, in its own zone; empty for never. */
  expires: string;
  reveal: string;
  moderated: boolean;
  askName: boolean;
  showMetadata: boolean;
  photos: number | null;
  gigabytes: number | null;
  guestPhotos: number | null;
  guestGigabytes: number | null;
  /** Types of files, with spaces between; empty for all. */
  types: string;
}

export const newTerms = (): Terms => ({
  allow: [...(PRESETS[0]?.allow ?? [])],
  isOfPersons: false,
  persons: [],
  asksPassword: false,
  password: '',
  expires: '',
  reveal: '',
  moderated: false,
  askName: PRESETS[0]?.askName ?? false,
  showMetadata: false,
  photos: null,
  gigabytes: null,
  guestPhotos: null,
  guestGigabytes: null,
  types: '',
});

export function termsOf(link: ShareLink): Terms {
  const caps = link.caps ?? {};
  return {
    allow: inOrder(link.allow),
    isOfPersons: link.persons.length > 0,
    persons: [...link.persons],
    asksPassword: link.hasPassword,
    password: '',
    expires: inField(link.expiresAt),
    reveal: inField(link.revealAt),
    moderated: link.moderated,
    askName: link.askName,
    showMetadata: link.showMetadata,
    photos: caps.photos ?? null,
    gigabytes: inGigabytes(caps.bytes),
    guestPhotos: caps.guestPhotos ?? null,
    guestGigabytes: inGigabytes(caps.guestBytes),
    types: (caps.types ?? []).join(' '),
  };
}

/** What is wrong with them, or null where they make a link. `link`: the one that they change. */
export function problemOf(terms: Terms, link: ShareLink | null = null, now: number = Date.now()): Key | null {
  const { allow, password } = terms;
  const needsPassword = terms.asksPassword && (password !== '' || !link?.hasPassword);
  if (!allow.length) return 'hosting.problems.nothing';
  if (allow.includes('download') && !allow.includes('view') && !allow.includes('find'))
    return 'hosting.problems.unseen';
  if (terms.isOfPersons && !terms.persons.length) return 'hosting.problems.nobody';
  if (needsPassword && password.trim().length < SHORTEST_PASSWORD) return 'hosting.problems.password';
  if (terms.expires !== (link ? termsOf(link).expires : '') && isOver(terms.expires, now))
    return 'hosting.problems.over';
  return null;
}

export function wishOf(terms: Terms): NewWish {
  return {
    allow: inOrder(terms.allow),
    persons: terms.isOfPersons ? [...terms.persons] : [],
    password: terms.asksPassword && terms.password ? terms.password : null,
    expiresAt: asTime(terms.expires),
    revealAt: asTime(terms.reveal),
    moderated: terms.moderated,
    askName: terms.askName,
    showMetadata: terms.showMetadata,
    caps: capsOf(terms),
  };
}

/** What is other than before, and nothing else: so an end that has passed is no reason to refuse the rest. */
export function changeOf(link: ShareLink, terms: Terms): ChangeWish {
  const [before, after] = [wishOf(termsOf(link)), wishOf(terms)];
  const isOther = (name: keyof NewWish) => JSON.stringify(after[name]) !== JSON.stringify(before[name]);
  const changed = CHANGEABLE.filter(isOther).map((name) => [name, after[name]] as const);
  const { password } = after;
  const hasOther = password !== null || (link.hasPassword && !terms.asksPassword);
  return { ...Object.fromEntries(changed), ...(hasOther && { password }) } as ChangeWish;
}

function capsOf(terms: Terms): NonNullable<NewWish['caps']> | null {
  const types = terms.types.split(' ').filter(Boolean);
  const caps = {
    photos: terms.photos ?? null,
    bytes: inBytes(terms.gigabytes),
    guestPhotos: terms.guestPhotos ?? null,
    guestBytes: inBytes(terms.guestGigabytes),
    types,
  };
  const isFree =
    !types.length && [caps.photos, caps.bytes, caps.guestPhotos, caps.guestBytes].every((cap) => cap === null);
  return isFree ? null : caps;
}

const inBytes = (gigabytes: number | null): number | null =>
  gigabytes === null ? null : Math.round(gigabytes * GIGABYTE);
const inGigabytes = (bytes: number | null | undefined): number | null => (bytes == null ? null : bytes / GIGABYTE);
const asTime = (field: string): string | null => (field ? new Date(field).toISOString() : null);
const isOver = (field: string, now: number): boolean => field !== '' && new Date(field).getTime() <= now;

/** A time as a `datetime-local` field takes it. */
export function inField(time: string | null | undefined): string {
  if (!time) return '';
  const at = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
