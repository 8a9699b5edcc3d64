/** Settings of a share link in a form, their validation and request bodies. */
import type { components } from '../api/schema';
import type { LinkPermission, ShareLink } from '../api/types';
import type { Key } from '../i18n/i18n.svelte';

export type NewLinkRequest = components['schemas']['NewLinkRequest'];
export type LinkChangeRequest = components['schemas']['LinkChangeRequest'];

const GIGABYTE = 1e9;
const SHORTEST_PASSWORD = 4;
export const MOST_PERSONS = 5;

/** Fields that can be changed later, besides the password. */
const CHANGEABLE = ['allow', 'expiresAt', 'revealAt', 'moderated', 'askName', 'showMetadata', 'caps'] as const;

export interface LinkSettings {
  allow: LinkPermission[];
  isOfPersons: boolean;
  persons: string[];
  asksPassword: boolean;
  /** Empty for a link that has one: then it is kept. */
  password: string;
  /** Value of a `datetime-local` field; empty for never. */
  expires: string;
  reveal: string;
  moderated: boolean;
  askName: boolean;
  showMetadata: boolean;
  photos: number | null;
  gigabytes: number | null;
  guestPhotos: number | null;
  guestGigabytes: number | null;
  /** Types of files, separated by spaces; empty for all. */
  types: string;
}

export const defaultLinkSettings = (): LinkSettings => ({
  allow: [...(LINK_PRESETS[0]?.allow ?? [])],
  isOfPersons: false,
  persons: [],
  asksPassword: false,
  password: '',
  expires: '',
  reveal: '',
  moderated: false,
  askName: LINK_PRESETS[0]?.askName ?? false,
  showMetadata: false,
  photos: null,
  gigabytes: null,
  guestPhotos: null,
  guestGigabytes: null,
  types: '',
});

export function settingsOfLink(link: ShareLink): LinkSettings {
  const caps = link.caps ?? {};
  return {
    allow: sortPermissions(link.allow),
    isOfPersons: link.persons.length > 0,
    persons: [...link.persons],
    asksPassword: link.hasPassword,
    password: '',
    expires: toDateTimeField(link.expiresAt),
    reveal: toDateTimeField(link.revealAt),
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

/** Message of what is wrong with the settings, or null. `link`: the one to change. */
export function settingsError(
  settings: LinkSettings,
  link: ShareLink | null = null,
  now: number = Date.now(),
): Key | null {
  const { allow, password } = settings;
  const needsPassword = settings.asksPassword && (password !== '' || !link?.hasPassword);
  if (!allow.length) return 'links.problems.nothing';
  if (allow.includes('download') && !allow.includes('view') && !allow.includes('find')) return 'links.problems.unseen';
  if (settings.isOfPersons && !settings.persons.length) return 'links.problems.nobody';
  if (needsPassword && password.trim().length < SHORTEST_PASSWORD) return 'links.problems.password';
  if (settings.expires !== (link ? settingsOfLink(link).expires : '') && isOver(settings.expires, now))
    return 'links.problems.over';
  return null;
}

export function newLinkRequest(settings: LinkSettings): NewLinkRequest {
  return {
    allow: sortPermissions(settings.allow),
    persons: settings.isOfPersons ? [...settings.persons] : [],
    password: settings.asksPassword && settings.password ? settings.password : null,
    expiresAt: asTime(settings.expires),
    revealAt: asTime(settings.reveal),
    moderated: settings.moderated,
    askName: settings.askName,
    showMetadata: settings.showMetadata,
    caps: capsOf(settings),
  };
}

/** Only the fields that differ: an expiry in the past is no error unless it changes. */
export function linkChangeRequest(link: ShareLink, settings: LinkSettings): LinkChangeRequest {
  const [before, after] = [newLinkRequest(settingsOfLink(link)), newLinkRequest(settings)];
  const isOther = (name: keyof NewLinkRequest) => JSON.stringify(after[name]) !== JSON.stringify(before[name]);
  const changed = CHANGEABLE.filter(isOther).map((name) => [name, after[name]] as const);
  const { password } = after;
  const hasOther = password !== null || (link.hasPassword && !settings.asksPassword);
  return { ...Object.fromEntries(changed), ...(hasOther && { password }) } as LinkChangeRequest;
}

function capsOf(settings: LinkSettings): NonNullable<NewLinkRequest['caps']> | null {
  const types = settings.types.split(' ').filter(Boolean);
  const caps = {
    photos: settings.photos ?? null,
    bytes: inBytes(settings.gigabytes),
    guestPhotos: settings.guestPhotos ?? null,
    guestBytes: inBytes(settings.guestGigabytes),
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

/** Time as the value of a `datetime-local` field. */
export function toDateTimeField(time: string | null | undefined): string {
  if (!time) return '';
  const at = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const PERMISSIONS: readonly LinkPermission[] = ['view', 'download', 'upload', 'find'];

export interface LinkPreset {
  readonly name: 'collect' | 'look' | 'bring' | 'find' | 'person';
  readonly allow: readonly LinkPermission[];
  readonly askName: boolean;
  /** Shows only photos of chosen persons. */
  readonly isOfPersons?: boolean;
}

export const LINK_PRESETS: readonly LinkPreset[] = [
  { name: 'collect', allow: ['view', 'download', 'upload', 'find'], askName: true },
  { name: 'look', allow: ['view', 'download'], askName: false },
  { name: 'bring', allow: ['upload'], askName: true },
  { name: 'find', allow: ['download', 'find'], askName: false },
  { name: 'person', allow: ['view', 'download'], askName: false, isOfPersons: true },
];

/** Sorted, each once. */
export const sortPermissions = (allow: readonly LinkPermission[]): LinkPermission[] =>
  PERMISSIONS.filter((each) => allow.includes(each));

/** The preset of these permissions, or null. */
export function presetOf(allow: readonly LinkPermission[], isOfPersons: boolean): LinkPreset | null {
  const told = sortPermissions(allow).join();
  const isAlike = (preset: LinkPreset) =>
    sortPermissions(preset.allow).join() === told && (preset.isOfPersons ?? false) === isOfPersons;
  return LINK_PRESETS.find(isAlike) ?? null;
}
