/** Store of the signed-in user and their upload limit; sign-out. */
import { addresses } from '../addresses';
import { api, sessionEvents, unwrap } from '../api/client';
import { ApiError } from '../api/errors';
import type { Limit, Profile } from '../api/types';
import { router } from '../router.svelte';

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
  /** Whether a user was signed in when this browser last asked. */
  get wasSignedIn(): boolean {
    return localStorage.getItem(KEY) !== null;
  },
  /** Whether a user is signed in; asks the server. */
  async load(): Promise<boolean> {
    try {
      profile = await unwrap(api.GET('/api/me/profile'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) profile = null;
      else throw error;
    }
    if (profile) localStorage.setItem(KEY, '1');
    else localStorage.removeItem(KEY);
    return profile !== null;
  },
  async loadLimit(): Promise<void> {
    limit = await unwrap(api.GET('/api/me/limit'));
  },
  /** The session has ended: opens the sign-in page, which leads back to this page. */
  expire(): void {
    if (profile === null) return;
    profile = limit = null;
    const next = location.pathname + location.search;
    router.go(next === '/' ? addresses.signIn() : `${addresses.signIn()}?next=${encodeURIComponent(next)}`);
  },
  async signOut(): Promise<void> {
    const { logoutUrl } = await unwrap(api.DELETE('/api/session'));
    profile = limit = null;
    sessionStorage.removeItem('sparks.links'); // secrets of links: see share-links/storedLinks
    if (logoutUrl) location.assign(logoutUrl);
    else router.go(addresses.signIn());
  },
};

sessionEvents.addEventListener('over', () => session.expire());
