/** What a key may do, from least to most. */
import type { components } from '../api/schema';

export type Scope = components['schemas']['KeyScope'];

const SCOPES: readonly Scope[] = ['read', 'upload', 'edit', 'people', 'admin'];

/** Those that somebody can give away: administrators all of them. */
export const scopesFor = (isAdmin: boolean): readonly Scope[] => SCOPES.filter((scope) => isAdmin || scope !== 'admin');
