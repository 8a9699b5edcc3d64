import { mount } from 'svelte';
import { sentAlong } from '$lib/api/client';
import '$lib/ui/tokens.css';
import '$lib/ui/base.css';
import './guest.css';
import '$lib/ui/theme.svelte';
import GuestPage from './GuestPage.svelte';
import { Visit } from './visit.svelte';
import { learnWords } from './words';

const target = document.getElementById('guest');
if (!target) throw new Error('the page has no place for the album');

// A browser may be signed in, too: here it is the guest who asks.
sentAlong['X-Sparks-As'] = 'guest';

const visit = new Visit();
void visit.start();
await learnWords();
mount(GuestPage, { target, props: { visit } });
