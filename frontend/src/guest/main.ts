import { mount } from 'svelte';
import '$lib/ui/tokens.css';
import '$lib/ui/base.css';
import './guest.css';
import '$lib/ui/theme.svelte';
import { Unreachable } from '$lib/api/errors';
import Closed from './Closed.svelte';
import GuestPage from './GuestPage.svelte';
import { Visit } from './visit.svelte';
import { learnWords, speakWithout } from './words';

const target = document.getElementById('guest');
if (!target) throw new Error('the page has no place for the album');

const visit = new Visit();
void visit.start();
try {
  await learnWords();
  mount(GuestPage, { target, props: { visit } });
} catch {
  speakWithout();
  const stage = { kind: 'failed', error: new Unreachable() } as const;
  mount(Closed, { target, props: { stage, onretry: () => location.reload() } });
}
