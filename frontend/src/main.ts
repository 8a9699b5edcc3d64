/** Entry point of the app: loads session, messages and font, then mounts the root. */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { mount } from 'svelte';
import App from './App.svelte';
import './lib/ui/fonts.css';
import './lib/ui/tokens.css';
import './lib/ui/base.css';
import './lib/ui/theme.svelte';
import { session } from './lib/auth/session.svelte';
import { i18n, warmUpFormatters } from './lib/i18n/i18n.svelte';
import { firstImagesLoaded } from './lib/ui/firstImages';
import { uploads } from './lib/upload/uploadStore.svelte';
import { matchRoute } from './routes';

const FONT = 'sparks.font';
const RELOADED = 'sparks.reloaded';
const SOON = 60_000; // milliseconds

const target = document.getElementById('app');
if (!target) throw new Error('the page has no place for the app');
addEventListener('vite:preloadError', reloadOutdated);

// Session, page and messages load at the same time. The sign-in pages need no session.
const route = matchRoute(location.pathname)?.route;
const known = route?.isSignedOut ? Promise.resolve(false) : session.load();
void route?.load();
loadFont({ atOnce: route?.isSignedOut ?? false }).catch(() => undefined); // without it the system's fonts stay
await i18n.start();
void warmUpFormatters();
mount(App, { target, props: { known } });

/** On the first visit the font loads after the images, since it is as large as a dozen of them, and the system's fonts
 * stand in (`fonts.css`); later it comes from the browser's cache at once.
 */
async function loadFont({ atOnce }: { atOnce: boolean }): Promise<void> {
  if (!atOnce && !localStorage.getItem(FONT)) await firstImagesLoaded;
  const face = new FontFace('Inter Variable', `url(${inter}) format('woff2-variations')`, { weight: '100 900' });
  document.fonts.add(await face.load());
  localStorage.setItem(FONT, '1');
}

/** Reloads a page that is older than the server and so asks for files that are gone. Once, and not while files to upload
 * are only in this page: then the import fails.
 */
function reloadOutdated(event: Event): void {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < SOON || uploads.wouldBeLost) return;
  event.preventDefault();
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}
