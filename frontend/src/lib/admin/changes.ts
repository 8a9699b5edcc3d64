/** What an administrator changed of an account: only that is sent, so that an upload meanwhile is not counted away. */
import type { Limit } from '../api/shapes';

export const GIGABYTE = 1e9;

export interface Wanted {
  readonly role: 'member' | 'admin';
  readonly photos: number | null;
  readonly gigabytes: number | null;
  readonly password: string;
}

export interface Before {
  readonly role: 'member' | 'admin';
  readonly uploadLimit: Limit;
}

export function changesIn(wanted: Wanted, { role, uploadLimit }: Before) {
  const bytes = wanted.gigabytes === null ? null : Math.round(wanted.gigabytes * GIGABYTE);
  return {
    ...(wanted.role !== role && { role: wanted.role }),
    ...(wanted.photos !== null && wanted.photos !== uploadLimit.limit && { limit: wanted.photos }),
    ...(bytes !== null && bytes !== uploadLimit.bytesLeft && { bytesLeft: bytes }),
    ...(wanted.password && { password: wanted.password }),
  };
}
