/** What somebody may do in an album, as far as a page has to know: the server decides. */
import type { AlbumRole } from '../api/shapes';
import type { Key } from '../i18n/i18n.svelte';

type Role = AlbumRole | null | undefined;

export const mayAdd = (role: Role): boolean => mayEdit(role) || role === 'contributor';
export const mayEdit = (role: Role): boolean => mayManage(role) || role === 'editor';
export const mayManage = (role: Role): boolean => role === 'owner';

/** Those that an owner gives. */
export const GIVEN = ['editor', 'contributor', 'viewer'] as const;
export type GivenRole = (typeof GIVEN)[number];

export const roleName = (role: AlbumRole): Key => `albums.roles.${role}`;
