/** Who is signed in here, and what they may still upload. */
import { api, signedOut, told } from './api/client';
import { ApiError } from './api/errors';
import type { Limit, Profile } from './api/shapes';
import { router } from './router.svelte';
import { addresses } from '../routes';

const KEY = 'sparks.signedIn';

let profile = $state.raw<Profile | null>(null);
let limit = $state.raw<Limit | null>(null);

export const session = {
  get profile(): Profile | null {
    return profile;
  },
  get limit(): Limit | null {
    return limit;
  },
  get isAdmin(): boolean {
    return profile?.role === 'admin';
  },
  /** Whether somebody was in when this browser asked last: a door need not ask for a stranger. */
  get mayBeIn(): boolean {
    return localStorage.getItem(KEY) !== null;
  },
  /** Whether somebody is signed in; asks the server. */
  async load(): Promise<boolean> {
    try {
      profile = await told(api.GET('/api/me/profile'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) profile = null;
      else throw error;
    }
    if (profile) localStorage.setItem(KEY, '1');
    else localStorage.removeItem(KEY);
    return profile !== null;
  },
  async loadLimit(): Promise<void> {
    limit = await told(api.GET('/api/me/limit'));
  },
  /** The session is over: back to the door, and from there to this page again. */
  isOver(): void {
    if (profile === null) return;
    profile = limit = null;
    const next = location.pathname + location.search;
    router.go(next === '/' ? addresses.signIn() : `${addresses.signIn()}?next=${encodeURIComponent(next)}`);
  },
  async signOut(): Promise<void> {
    const { logoutUrl } = await told(api.DELETE('/api/session'));
    profile = limit = null;
    sessionStorage.removeItem('sparks.links'); // the secrets of links: see hosting/kept
    if (logoutUrl) location.assign(logoutUrl);
    else router.go(addresses.signIn());
  },
};

signedOut.addEventListener('over', () => session.isOver());
