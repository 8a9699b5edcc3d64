import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, mergeConfig, type UserConfig } from 'vite';
import { compressed } from './compressed.js';

const SERVER = process.env.SPARKS_URL ?? 'http://127.0.0.1:8000';

// The `frame` chunk has what every page needs, in one file instead of a dozen; LATER is excluded, since it loads on
// demand.
const FRAME =
  /node_modules\/(svelte|esm-env|clsx)\/|src\/(routes|lib\/(addresses|auth\/session|router|yieldToBrowser|api|shell|i18n\/(i18n|translate)|live|photos|ui|forms\/Field|download\/openDownload|viewer\/viewerState\.svelte|upload\/uploadStore\.svelte))/;
const LATER =
  /src\/lib\/(api\/(backoff|transferRate)|live\/albumEvents|photos\/(PhotoList|PhotoRows|SelectionToolbar|TagDialog|bulkChanges|pagedPhotos|photoGroups|selectionActions|tagInput)|ui\/(Combobox|ListEnd|Notice|OneTimeSecret|ResourceView|Section|Table|autoHide|dates|pagedList|resource|saveFile|textMatch))/;
// The timeline is one chunk, shared by two pages.
const TIMELINE = /src\/lib\/timeline\//;
// So are the parts that the album page shares with the grid of albums and with actions on photos elsewhere.
const ALBUMS =
  /src\/lib\/(albums\/(AlbumCover|albumPhotoActions|albumRequests|albumRoles|openAlbum)|photos\/(bulkChanges|selectionActions)|ui\/saveFile)/;
const isOfFrame = (id: string): boolean => FRAME.test(id) && !LATER.test(id);

/** Settings of both builds: the app and the guests' page. */
export const shared: UserConfig = {
  plugins: [svelte()],
  resolve: { alias: { $lib: fileURLToPath(new URL('./src/lib', import.meta.url)) } },
  build: {
    outDir: '../src/sparks/api/web/app',
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows no inline styles, fonts or images
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
      manifest: true, // the server reads from it which files a page needs next
    },
    server: { proxy: { '/api': SERVER, '/media': SERVER, '/blobs': SERVER, '/readyz': SERVER } },
  }),
);
