/** Every page of the app, and every address of one. */
import type { Component } from 'svelte';
import { worded, type Key } from './lib/i18n/i18n.svelte';

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
  /** Without the frame, too: it has the whole screen. */
  readonly isWhole?: boolean;
}

export const addresses = {
  photos: () => '/',
  feed: () => '/feed',
  albums: () => '/albums',
  album: (id: string, part = '') => `/albums/${id}${part && `/${part}`}`,
  wall: (id: string) => `/albums/${id}/wall`,
  /** Those of a link that was made in this tab. */
  cards: (id: string, link: string) => `/albums/${id}/cards?link=${link}`,
  people: () => '/people',
  person: (id: string) => `/people/${id}`,
  search: (query = '') => `/search${query && `?${query}`}`,
  /** All photos that have this in common, such as a tag. */
  searchFor: (filter: Params) => `/search?${new URLSearchParams(filter).toString()}`,
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
  { pattern: /^\/albums$/, load: () => worded('albums', import('./pages/Albums.svelte')), title: 'nav.albums' },
  {
    pattern: /^\/albums\/(?<id>[^/]+)\/wall$/,
    load: () => worded('hosting', import('./pages/Wall.svelte')),
    isWhole: true,
  },
  {
    pattern: /^\/albums\/(?<id>[^/]+)\/cards$/,
    load: () => worded('hosting', import('./pages/Cards.svelte')),
    isWhole: true,
  },
  {
    pattern: /^\/albums\/(?<id>[^/]+)(?:\/(?<part>[a-z]+))?$/,
    load: () => worded('albums', import('./pages/Album.svelte')),
  },
  { pattern: /^\/people$/, load: () => worded('people', import('./pages/People.svelte')), title: 'nav.people' },
  { pattern: /^\/people\/(?<id>[^/]+)$/, load: () => worded('people', import('./pages/Person.svelte')) },
  { pattern: /^\/with-me$/, load: () => worded('people', import('./pages/WithMe.svelte')), title: 'nav.withMe' },
  { pattern: /^\/members$/, load: () => import('./pages/Members.svelte'), title: 'nav.members' },
  { pattern: /^\/members\/(?<email>[^/]+)$/, load: () => import('./pages/Member.svelte') },
  { pattern: /^\/search$/, load: () => worded('search', import('./pages/Search.svelte')) },
  { pattern: /^\/favorites$/, load: () => import('./pages/Favourites.svelte'), title: 'nav.favourites' },
  { pattern: /^\/trash$/, load: () => import('./pages/Trash.svelte'), title: 'nav.trash' },
  { pattern: /^\/profile(?:\/(?<part>[a-z]+))?$/, load: () => worded('account', import('./pages/Profile.svelte')) },
  { pattern: /^\/admin(?:\/(?<part>[a-z]+))?$/, load: () => worded('account', import('./pages/Admin.svelte')) },
  { pattern: /^\/signin$/, load: () => worded('account', import('./pages/SignIn.svelte')), isDoor: true },
  { pattern: /^\/setup$/, load: () => worded('account', import('./pages/Setup.svelte')), isDoor: true },
  { pattern: /^\/register$/, load: () => worded('account', import('./pages/Register.svelte')), isDoor: true },
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
