/** A link in a few words: what it is for, what is special about it, and how much it is used. */
import type { LinkPermission, ShareLink } from '../api/shapes';
import type { Key } from '../i18n/i18n.svelte';
import { inOrder, presetOf } from './presets';

/** A text to be: `time` is told as a date. */
export interface Said {
  readonly key: Key;
  readonly time?: string;
  readonly n?: number;
  /** Something to look at: the link does not do what it did. */
  readonly isWarning?: boolean;
}

interface Readable {
  readonly allow: readonly LinkPermission[];
  readonly persons: readonly string[];
}

/** Its name: that of a preset, or all that it allows, one after the other. */
export function nameOf({ allow, persons }: Readable): readonly Key[] {
  const preset = presetOf(allow, persons.length > 0);
  if (preset) return [`hosting.presets.${preset.name}`];
  return inOrder(allow).map((each: LinkPermission): Key => `hosting.allows.${each}`);
}

/** What is special about it, what matters most first. */
export function statesOf(link: ShareLink, now: number = Date.now()): readonly Said[] {
  const { caps } = link;
  const isHidden = !!link.revealAt && new Date(link.revealAt).getTime() > now;
  const isFull = caps?.photos != null && link.photos >= caps.photos;
  const isHeavy = caps?.bytes != null && link.bytes >= caps.bytes;
  const mayUpload = link.allow.includes('upload');
  const said: (Said | false)[] = [
    link.expired && { key: 'hosting.states.expired', time: link.expiresAt ?? '', isWarning: true },
    mayUpload && (isFull || isHeavy) && { key: 'hosting.states.full', isWarning: true },
    isHidden && { key: 'hosting.states.reveals', time: link.revealAt ?? '' },
    link.moderated && mayUpload && { key: 'hosting.states.moderated' },
    link.hasPassword && { key: 'hosting.states.password' },
    !link.expired && !!link.expiresAt && { key: 'hosting.states.expires', time: link.expiresAt },
    mayUpload && !isFull && caps?.photos != null && { key: 'hosting.states.left', n: caps.photos - link.photos },
    link.showMetadata && { key: 'hosting.states.metadata' },
  ];
  return said.filter((each): each is Said => each !== false);
}
