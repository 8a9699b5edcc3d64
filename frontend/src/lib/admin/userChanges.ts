/** Difference between an account and the form, as the request body. Other fields are not sent, so that an upload at the
 * same time is not overwritten.
 */
import type { Limit } from '../api/types';

export const GIGABYTE = 1e9;

export interface UserFormValues {
  readonly role: 'member' | 'admin';
  readonly photos: number | null;
  readonly gigabytes: number | null;
  readonly password: string;
}

export interface UserBefore {
  readonly role: 'member' | 'admin';
  readonly uploadLimit: Limit;
}

export function changedFields(wanted: UserFormValues, { role, uploadLimit }: UserBefore) {
  const bytes = wanted.gigabytes === null ? null : Math.round(wanted.gigabytes * GIGABYTE);
  return {
    ...(wanted.role !== role && { role: wanted.role }),
    ...(wanted.photos !== null && wanted.photos !== uploadLimit.limit && { limit: wanted.photos }),
    ...(bytes !== null && bytes !== uploadLimit.bytesLeft && { bytesLeft: bytes }),
    ...(wanted.password && { password: wanted.password }),
  };
}
