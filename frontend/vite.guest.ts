import { defineConfig, mergeConfig } from 'vite';
import { compressed } from './compressed.js';
import { lean } from './lean.js';
import { shared } from './vite.config.ts';

// One chunk for everything until the album is shown and photos are uploading; the rest loads on demand.
const LATER =
  /src\/(guest\/(GuestViewer|FindMeDialog|ViewerButton|GuestLikeButton|swipe)|lib\/(people|ui\/Dialog|i18n\/guest|upload\/queue\/multipart)\b)/;

// Components of the app whose icons the page shows, too.
const PARTS = ['upload/UploadThumb', 'people/SelfieCamera', 'ui/Dialog', 'ui/ToastList'].map(
  (part) => `src/lib/${part}.svelte`,
);

/** Build of the guests' page: it has its own copy of what it uses from `src/lib`, so that neither makes the other
 * larger.
 */
export default defineConfig(
  mergeConfig(shared, {
    plugins: [lean(['src/guest', ...PARTS]), compressed()],
    publicDir: false,
    build: {
      emptyOutDir: false, // beside the app, which is built first
      cssCodeSplit: false, // the styles are small: code that loads on demand needs no style loaded before it
      modulePreload: false,
      rolldownOptions: {
        input: 'guest.html',
        output: { codeSplitting: { groups: [{ name: 'guest', test: (id: string) => !LATER.test(id) }] } },
      },
      manifest: '.vite/guest.json',
    },
  }),
);
