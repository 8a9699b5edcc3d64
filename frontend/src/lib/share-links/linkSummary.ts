/** Name and notes of a share link as message keys. */
import type { LinkPermission, ShareLink } from '../api/types';
import type { Key } from '../i18n/i18n.svelte';
import { sortPermissions, presetOf } from './linkSettings';

/** `time` is shown as a date. */
export interface LinkNote {
  readonly key: Key;
  readonly time?: string;
  readonly n?: number;
  /** The link no longer works as it did. */
  readonly isWarning?: boolean;
}

interface Readable {
  readonly allow: readonly LinkPermission[];
  readonly persons: readonly string[];
}

/** Name of its preset, or all of its permissions. */
export function linkName({ allow, persons }: Readable): readonly Key[] {
  const preset = presetOf(allow, persons.length > 0);
  if (preset) return [`links.presets.${preset.name}`];
  return sortPermissions(allow).map((each: LinkPermission): Key => `links.allows.${each}`);
}

/** Notes about a link, the most important first. */
export function linkNotes(link: ShareLink, now: number = Date.now()): readonly LinkNote[] {
  const { caps } = link;
  const isHidden = !!link.revealAt && new Date(link.revealAt).getTime() > now;
  const isFull = caps?.photos != null && link.photos >= caps.photos;
  const isHeavy = caps?.bytes != null && link.bytes >= caps.bytes;
  const mayUpload = link.allow.includes('upload');
  const said: (LinkNote | false)[] = [
    link.expired && { key: 'links.states.expired', time: link.expiresAt ?? '', isWarning: true },
    mayUpload && (isFull || isHeavy) && { key: 'links.states.full', isWarning: true },
    isHidden && { key: 'links.states.reveals', time: link.revealAt ?? '' },
    link.moderated && mayUpload && { key: 'links.states.moderated' },
    link.hasPassword && { key: 'links.states.password' },
    !link.expired && !!link.expiresAt && { key: 'links.states.expires', time: link.expiresAt },
    mayUpload && !isFull && caps?.photos != null && { key: 'links.states.left', n: caps.photos - link.photos },
    link.showMetadata && { key: 'links.states.metadata' },
  ];
  return said.filter((each): each is LinkNote => each !== false);
}
