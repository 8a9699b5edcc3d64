import { describe, expect, it } from 'vitest';
import type { ShareLink } from '../api/types';
import {
  LINK_PRESETS,
  presetOf,
  linkChangeRequest,
  defaultLinkSettings,
  settingsError,
  settingsOfLink,
  newLinkRequest,
} from './linkSettings';
import { linkName, linkNotes } from './linkSummary';

const NOW = Date.parse('2026-06-14T12:00:00Z');
const aLink = (more: Partial<ShareLink> = {}): ShareLink => ({
  linkId: 'l',
  albumId: 'a',
  allow: ['download', 'view'],
  hasPassword: false,
  expired: false,
  moderated: false,
  showMetadata: false,
  askName: false,
  persons: [],
  guests: 0,
  photos: 0,
  bytes: 0,
  createdBy: 'ann@example.com',
  createdAt: '2026-06-01T12:00:00Z',
  ...more,
});

describe('what a link is made with', () => {
  it('is at first what a party needs, and tells no places', () => {
    expect(newLinkRequest(defaultLinkSettings())).toMatchObject({
      allow: ['view', 'download', 'upload', 'find'],
      askName: true,
      showMetadata: false,
      password: null,
      caps: null,
    });
  });

  it('is a preset again when it is read back', () => {
    for (const preset of LINK_PRESETS) {
      expect(presetOf([...preset.allow].reverse(), preset.isOfPersons ?? false)).toBe(preset);
    }
    expect(presetOf(['view'], false)).toBeNull();
  });

  it('has caps in bytes, and types', () => {
    const settings = { ...defaultLinkSettings(), gigabytes: 2.5, guestPhotos: 40, types: 'image' };
    expect(newLinkRequest(settings).caps).toEqual({
      photos: null,
      bytes: 2_500_000_000,
      guestPhotos: 40,
      guestBytes: null,
      types: ['image'],
    });
  });

  it('names no person unless it is of persons', () => {
    expect(newLinkRequest({ ...defaultLinkSettings(), persons: ['p'] }).persons).toEqual([]);
    expect(newLinkRequest({ ...defaultLinkSettings(), isOfPersons: true, persons: ['p', 'q'] }).persons).toEqual([
      'p',
      'q',
    ]);
  });

  it('is refused in words where it makes no sense', () => {
    const settings = defaultLinkSettings();
    expect(settingsError(settings)).toBeNull();
    expect(settingsError({ ...settings, allow: [] })).toBe('links.problems.nothing');
    expect(settingsError({ ...settings, allow: ['download', 'upload'] })).toBe('links.problems.unseen');
    expect(settingsError({ ...settings, isOfPersons: true })).toBe('links.problems.nobody');
    expect(settingsError({ ...settings, asksPassword: true, password: 'abc' })).toBe('links.problems.password');
    expect(settingsError({ ...settings, expires: '2026-06-01T10:00' }, null, NOW)).toBe('links.problems.over');
  });
});

describe('a change of a link', () => {
  const link = aLink({
    expiresAt: '2026-06-02T10:00:12Z',
    expired: true,
    hasPassword: true,
    caps: { photos: 10, types: ['image'] },
  });

  it('is nothing where nothing was changed, whatever has passed meanwhile', () => {
    expect(linkChangeRequest(link, settingsOfLink(link))).toEqual({});
    expect(settingsError(settingsOfLink(link), link, NOW)).toBeNull();
  });

  it('names what is other, and null for what is cleared', () => {
    const settings = { ...settingsOfLink(link), expires: '', moderated: true, asksPassword: false };
    expect(linkChangeRequest(link, settings)).toEqual({ expiresAt: null, moderated: true, password: null });
  });

  it('gives another password only where one is typed', () => {
    expect(linkChangeRequest(link, { ...settingsOfLink(link), password: 'apple pie' })).toEqual({
      password: 'apple pie',
    });
  });

  it('lifts the caps where none is left', () => {
    expect(linkChangeRequest(link, { ...settingsOfLink(link), photos: null, types: '' })).toEqual({ caps: null });
  });
});

describe('a link in a few words', () => {
  const keys = (link: ShareLink) => linkNotes(link, NOW).map(({ key }) => key.replace('links.states.', ''));

  it('is called like its preset, or by all that it allows', () => {
    expect(linkName(aLink())).toEqual(['links.presets.look']);
    expect(linkName(aLink({ persons: ['p'] }))).toEqual(['links.presets.person']);
    expect(linkName(aLink({ allow: ['upload', 'view'] }))).toEqual(['links.allows.view', 'links.allows.upload']);
  });

  it('tells what is special, and nothing of a plain one', () => {
    expect(keys(aLink())).toEqual([]);
    const special = aLink({ hasPassword: true, expiresAt: '2026-07-01T00:00:00Z', revealAt: '2026-06-20T00:00:00Z' });
    expect(keys(special)).toEqual(['reveals', 'password', 'expires']);
  });

  it('tells that it is over, or full', () => {
    expect(keys(aLink({ expired: true, expiresAt: '2026-06-01T00:00:00Z' }))).toEqual(['expired']);
    const full = aLink({ allow: ['upload'], caps: { photos: 3 }, photos: 3, moderated: true });
    expect(keys(full)).toEqual(['full', 'moderated']);
    expect(keys({ ...full, photos: 1 })).toEqual(['moderated', 'left']);
  });
});
