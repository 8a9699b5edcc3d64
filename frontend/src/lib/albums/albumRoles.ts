/** Rights of each album role, as far as the interface needs them. The server decides. */
import type { AlbumRole } from '../api/types';
import type { Key } from '../i18n/i18n.svelte';

type Role = AlbumRole | null | undefined;

export const mayAdd = (role: Role): boolean => mayEdit(role) || role === 'contributor';
export const mayEdit = (role: Role): boolean => mayManage(role) || role === 'editor';
export const mayManage = (role: Role): boolean => role === 'owner';

/** Roles that an owner can give. */
export const ASSIGNABLE_ROLES = ['editor', 'contributor', 'viewer'] as const;
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

export const roleName = (role: AlbumRole): Key => `albums.roles.${role}`;
