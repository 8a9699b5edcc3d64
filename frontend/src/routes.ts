/** Table of all pages: the pattern, the loader and the title of each. */
import type { Component } from 'svelte';
import { withMessages, type Key } from './lib/i18n/i18n.svelte';

export type Params = Readonly<Record<string, string>>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Page = Component<any>; // takes `params`, or nothing

export interface Route {
  readonly pattern: RegExp;
  readonly load: () => Promise<{ default: Page }>;
  /** Title of the browser tab; pages about one thing, such as an album, set their own. */
  readonly title?: Key;
  /** Shown without the shell, to users who are not signed in. */
  readonly isSignedOut?: boolean;
  /** Shown without the shell, on the full screen. */
  readonly isFullScreen?: boolean;
}

const ROUTES: readonly Route[] = [
  { pattern: /^\/$/, load: () => import('./pages/Timeline.svelte'), title: 'nav.photos' },
  { pattern: /^\/feed$/, load: () => import('./pages/Feed.svelte'), title: 'nav.feed' },
  { pattern: /^\/albums$/, load: () => withMessages('albums', import('./pages/Albums.svelte')), title: 'nav.albums' },
  {
    pattern: /^\/albums\/(?<id>[^/]+)\/wall$/,
    load: () => withMessages('share-links', import('./pages/Wall.svelte')),
    isFullScreen: true,
  },
  {
    pattern: /^\/albums\/(?<id>[^/]+)\/cards$/,
    load: () => withMessages('share-links', import('./pages/Cards.svelte')),
    isFullScreen: true,
  },
  {
    pattern: /^\/albums\/(?<id>[^/]+)(?:\/(?<part>[a-z]+))?$/,
    load: () => withMessages('albums', import('./pages/Album.svelte')),
  },
  { pattern: /^\/people$/, load: () => withMessages('people', import('./pages/People.svelte')), title: 'nav.people' },
  { pattern: /^\/people\/(?<id>[^/]+)$/, load: () => withMessages('people', import('./pages/Person.svelte')) },
  { pattern: /^\/with-me$/, load: () => withMessages('people', import('./pages/WithMe.svelte')), title: 'nav.withMe' },
  { pattern: /^\/members$/, load: () => import('./pages/Members.svelte'), title: 'nav.members' },
  { pattern: /^\/members\/(?<email>[^/]+)$/, load: () => import('./pages/Member.svelte') },
  { pattern: /^\/search$/, load: () => withMessages('search', import('./pages/Search.svelte')) },
  { pattern: /^\/favorites$/, load: () => import('./pages/Favorites.svelte'), title: 'nav.favorites' },
  { pattern: /^\/trash$/, load: () => import('./pages/Trash.svelte'), title: 'nav.trash' },
  {
    pattern: /^\/profile(?:\/(?<part>[a-z]+))?$/,
    load: () => withMessages('account', import('./pages/Profile.svelte')),
  },
  { pattern: /^\/admin(?:\/(?<part>[a-z]+))?$/, load: () => withMessages('account', import('./pages/Admin.svelte')) },
  { pattern: /^\/signin$/, load: () => withMessages('account', import('./pages/SignIn.svelte')), isSignedOut: true },
  { pattern: /^\/setup$/, load: () => withMessages('account', import('./pages/Setup.svelte')), isSignedOut: true },
  {
    pattern: /^\/register$/,
    load: () => withMessages('account', import('./pages/Register.svelte')),
    isSignedOut: true,
  },
];

export interface RouteMatch {
  readonly route: Route;
  readonly params: Params;
}

/** Page at this path, or null if there is none. */
export function matchRoute(path: string): RouteMatch | null {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match) return { route, params: decoded(match.groups ?? {}) };
  }
  return null;
}

function decoded(groups: Params): Params {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text && decodeURIComponent(text)]));
}
