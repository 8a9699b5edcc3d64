/** Entry point of the guests' page. */
import { mount } from 'svelte';
import '$lib/ui/tokens.css';
import '$lib/ui/base.css';
import './guest.css';
import '$lib/ui/theme.svelte';
import { Unreachable } from '$lib/api/errors';
import GuestApp from './GuestApp.svelte';
import { loadGuestMessages, useOfflineMessages } from './guestMessages';
import { GuestSession } from './guestSession.svelte';
import LinkUnavailable from './LinkUnavailable.svelte';

const target = document.getElementById('guest');
if (!target) throw new Error('the page has no place for the album');

const session = new GuestSession();
void session.start();
try {
  await loadGuestMessages();
  mount(GuestApp, { target, props: { session } });
} catch {
  useOfflineMessages();
  const stage = { kind: 'failed', error: new Unreachable() } as const;
  mount(LinkUnavailable, { target, props: { stage, onretry: () => location.reload() } });
}
