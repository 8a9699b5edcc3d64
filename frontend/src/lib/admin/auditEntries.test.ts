import { beforeAll, describe, expect, it, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => undefined });
vi.stubGlobal('navigator', { languages: ['en-GB'] });
vi.stubGlobal('document', { documentElement: {} });

const { i18n } = await import('../i18n/i18n.svelte');
const { actorOf, describeEntry } = await import('./auditEntries');

const entry = (action: string, target?: string, details?: Record<string, unknown>) => ({
  doneAt: '2026-11-17T05:00:00Z',
  who: 'ann@example.com',
  action,
  target,
  details,
});

beforeAll(async () => {
  await i18n.start();
  await i18n.more('account');
});

describe('an entry of the audit trail', () => {
  it('says what was done to whom', () => {
    const told = describeEntry(entry('role-changed', 'bob@example.com', { role: 'admin', before: 'member' }));
    expect(told).toContain('bob@example.com');
    expect(told).toMatch(/member.*administrator/);
  });

  it('says how much may be uploaded now', () => {
    expect(describeEntry(entry('limit-changed', 'bob@example.com', { limit: 5, bytesLeft: 2e9 }))).toMatch(
      /5 photos, 2 GB/,
    );
  });

  it('says whether faces are on or off, and for whom', () => {
    expect(describeEntry(entry('faces-switched', 'site', { allowed: false }))).toMatch(/off for everyone/);
    expect(describeEntry(entry('faces-switched', 'bob@example.com', { allowed: true }))).toMatch(/on for bob/);
  });

  it('is told by its name where nobody has words for it', () => {
    expect(describeEntry(entry('moon-landed', 'armstrong'))).toBe('moon-landed armstrong');
    expect(describeEntry(entry('constructor'))).toBe('constructor');
  });

  it('names who did it, or that nobody knows', () => {
    expect(actorOf(entry('signed-in'))).toBe('ann@example.com');
    expect(actorOf({ ...entry('sign-in-failed'), who: 'unknown' })).toBe('Someone');
  });
});
