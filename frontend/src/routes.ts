/** Every page of the app, and every address of one. */
import type { Component } from 'svelte';
import { i18n, type Key } from './lib/i18n/i18n.svelte';

export type Params = Readonly<Record<string, string>>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Page = Component<any>; // one that takes `params`, or nothing

export interface Route {
  readonly pattern: RegExp;
  readonly load: () => Promise<{ default: Page }>;
  /** What the browser's tab is called; a page about somebody says it by itself. */
  readonly title?: Key;
  /** Without the frame, for those who are not signed in. */
  readonly isDoor?: boolean;
}

/** A page that has words of its own to load. */
const worded = (load: Route['load']) => async () => (await Promise.all([load(), i18n.more()]))[0];

export const addresses = {
  photos: () => '/',
  feed: () => '/feed',
  people: () => '/people',
  person: (id: string) => `/people/${id}`,
  withMe: () => '/with-me',
  members: () => '/members',
  member: (email: string) => `/members/${encodeURIComponent(email)}`,
  favourites: () => '/favorites',
  trash: () => '/trash',
  profile: (part = '') => `/profile${part && `/${part}`}`,
  uploads: () => '/profile/uploads',
  admin: (part = '') => `/admin${part && `/${part}`}`,
  signIn: () => '/signin',
} as const;

const ROUTES: readonly Route[] = [
  { pattern: /^\/$/, load: () => import('./pages/Timeline.svelte'), title: 'nav.photos' },
  { pattern: /^\/feed$/, load: () => import('./pages/Feed.svelte'), title: 'nav.feed' },
  { pattern: /^\/people$/, load: () => import('./pages/People.svelte'), title: 'nav.people' },
  { pattern: /^\/people\/(?<id>[^/]+)$/, load: () => import('./pages/Person.svelte') },
  { pattern: /^\/with-me$/, load: () => import('./pages/WithMe.svelte'), title: 'nav.withMe' },
  { pattern: /^\/members$/, load: () => import('./pages/Members.svelte'), title: 'nav.members' },
  { pattern: /^\/members\/(?<email>[^/]+)$/, load: () => import('./pages/Member.svelte') },
  { pattern: /^\/favorites$/, load: () => import('./pages/Favourites.svelte'), title: 'nav.favourites' },
  { pattern: /^\/trash$/, load: () => import('./pages/Trash.svelte'), title: 'nav.trash' },
  { pattern: /^\/profile(?:\/(?<part>[a-z]+))?$/, load: worded(() => import('./pages/Profile.svelte')) },
  { pattern: /^\/admin(?:\/(?<part>[a-z]+))?$/, load: worded(() => import('./pages/Admin.svelte')) },
  { pattern: /^\/signin$/, load: worded(() => import('./pages/SignIn.svelte')), isDoor: true },
  { pattern: /^\/setup$/, load: worded(() => import('./pages/Setup.svelte')), isDoor: true },
  { pattern: /^\/register$/, load: worded(() => import('./pages/Register.svelte')), isDoor: true },
];

export interface Found {
  readonly route: Route;
  readonly params: Params;
}

/** The page at this path, or null where there is none. */
export function routeOf(path: string): Found | null {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match) return { route, params: decoded(match.groups ?? {}) };
  }
  return null;
}

function decoded(groups: Params): Params {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text && decodeURIComponent(text)]));
}
