import { mount } from 'svelte';
import App from './App.svelte';
import './lib/ui/fonts.css';
import './lib/ui/tokens.css';
import './lib/ui/base.css';
import './lib/ui/theme.svelte';
import { loadFont } from './lib/ui/font';
import { reloadOnce } from './lib/frame/outdated';
import { i18n, rehearse } from './lib/i18n/i18n.svelte';
import { session } from './lib/session.svelte';
import { routeOf } from './routes';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no place for the app');
addEventListener('vite:preloadError', reloadOnce);

// All at once: who this is, the page that was asked for, and its words. At a door nobody is there yet.
const route = routeOf(location.pathname)?.route;
const known = route?.isDoor ? Promise.resolve(false) : session.load();
void route?.load();
loadFont({ atOnce: route?.isDoor ?? false }).catch(() => undefined); // those of the system stay, then
await i18n.start();
void rehearse();
mount(App, { target, props: { known } });
