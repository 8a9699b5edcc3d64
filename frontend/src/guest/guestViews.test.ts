import { describe, expect, it } from 'vitest';
import type { Guest, Image } from '$lib/api/types';
import { acceptAttribute, pageOfPersons, isBeforeReveal, viewsOf } from './guestViews';

const guest = (...allow: Guest['allow']) => ({ allow, photos: 0 });
const photo = (imageId: string, ...persons: string[]) => ({ imageId, persons }) as unknown as Image;

describe('the lists that a guest is shown', () => {
  it('are what the link allows', () => {
    expect(viewsOf(guest('view'), false)).toEqual(['album', 'favorites']);
    expect(viewsOf(guest('view', 'upload', 'find'), false)).toEqual(['album', 'mine', 'favorites']);
    expect(viewsOf(guest('view', 'upload', 'find'), true)).toEqual(['album', 'ofMe', 'mine', 'favorites']);
  });
  it('have no album where it is not to be seen', () => {
    expect(viewsOf(guest('find'), false)).toEqual(['ofMe', 'favorites']);
    expect(viewsOf(guest('upload'), false)).toEqual(['mine']);
  });
  it('keep what was brought before uploading ended', () => {
    expect(viewsOf({ allow: ['view'], photos: 2 }, false)).toContain('mine');
  });
});

describe('a date of revealing', () => {
  const revealAt = '2030-01-01T00:00:00Z';
  it('hides the photos of others until then', () => {
    expect(isBeforeReveal({ revealAt }, Date.parse('2029-12-31T23:59:59Z'))).toBe(true);
    expect(isBeforeReveal({ revealAt }, Date.parse('2030-01-01T00:00:01Z'))).toBe(false);
    expect(isBeforeReveal({ revealAt: null }, 0)).toBe(false);
  });
});

describe('the file chooser', () => {
  it('offers what the link takes', () => {
    expect(acceptAttribute(['image', 'video/mp4'], 'all')).toBe('image/*,video/mp4');
    expect([acceptAttribute(null, 'all'), acceptAttribute([], 'all')]).toEqual(['all', 'all']);
  });
});

describe('photos of several persons', () => {
  it('come one person after the other, page by page, and none twice', async () => {
    const pages: Record<string, Image[]> = {
      'p ': [photo('1', 'p')],
      'p more': [photo('2', 'p', 'q')],
      'q ': [photo('2', 'p', 'q'), photo('3', 'q')],
    };
    const load = async (person: string, cursor: string | undefined) => ({
      images: pages[`${person} ${cursor ?? ''}`] ?? [],
      lastEvaluatedKey: person === 'p' && !cursor ? 'more' : null,
    });
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await pageOfPersons(['p', 'q'], cursor ?? undefined, load);
      seen.push(...page.images.map(({ imageId }) => imageId));
      cursor = page.lastEvaluatedKey;
    } while (cursor);
    expect(seen).toEqual(['1', '2', '3']);
  });
  it('are empty where no person is found', async () => {
    expect((await pageOfPersons([], undefined, () => Promise.reject(new Error('asked')))).images).toEqual([]);
  });
});
