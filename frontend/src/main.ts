import { mount } from 'svelte';
import App from './App.svelte';
import './lib/ui/tokens.css';
import './lib/ui/base.css';
import './lib/ui/theme.svelte';
import { i18n } from './lib/i18n/i18n.svelte';
import { reloadOnce } from './lib/frame/outdated';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no place for the app');
addEventListener('vite:preloadError', reloadOnce);
await i18n.start();
mount(App, { target });
