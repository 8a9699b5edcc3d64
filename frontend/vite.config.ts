import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, mergeConfig, type UserConfig } from 'vite';
import { compressed } from './compressed.js';

const SERVER = process.env.SPARKS_URL ?? 'http://127.0.0.1:8000';

// What every page needs is one file, and not a dozen that share their parts; what is loaded later stays out of it.
const FRAME =
  /node_modules\/(svelte|esm-env|clsx|openapi-fetch)\/|src\/(routes|lib\/(session|router|api|frame|i18n\/(i18n|speech)|live|photos|ui|forms\/Parts|download\/ask|viewer\/viewer\.svelte|upload\/uploads\.svelte))/;
const LATER = /photos\/(SelectionTools|TagDialog|actions|changes|download|imageList|ListEnd|PhotoList|PhotoRows|tags)/;
// A timeline is one file, too, though pages of two kinds show it.
const TIMELINE = /src\/lib\/timeline\/(?!ScopeSwitch)/;
// So is what an album's page shares with the grid of all albums, and with what is done with photos elsewhere.
const ALBUMS =
  /src\/lib\/(albums\/(Cover\.svelte|albumActions|persons|photoDeeds|roles)|photos\/(actions|changes|download))/;
const isOfFrame = (id: string): boolean => FRAME.test(id) && !LATER.test(id);

/** What both builds have in common: that of the app, and that of the guests' page. */
export const shared: UserConfig = {
  plugins: [svelte()],
  resolve: { alias: { $lib: fileURLToPath(new URL('./src/lib', import.meta.url)) } },
  build: {
    outDir: '../src/sparks/api/web/app',
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the policy lets in no style, font or picture that stands inside a page
    reportCompressedSize: false,
  },
};

export default defineConfig(
  mergeConfig(shared, {
    plugins: [compressed()],
    build: {
      emptyOutDir: true,
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: 'frame', test: isOfFrame },
              { name: 'timeline', test: TIMELINE },
              { name: 'albums', test: ALBUMS },
            ],
          },
        },
      },
      manifest: true, // the server reads from it what a page will ask for next
    },
    server: { proxy: { '/api': SERVER, '/media': SERVER, '/blobs': SERVER, '/readyz': SERVER } },
  }),
);
