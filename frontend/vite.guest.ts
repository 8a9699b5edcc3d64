import { defineConfig, mergeConfig } from 'vite';
import { compressed } from './compressed.js';
import { lean } from './lean.js';
import { shared } from './vite.config.ts';

// One file until the album is seen and photos are uploading; of the rest, what is loaded when it is asked for.
const LATER =
  /src\/(guest\/(Viewer|FindMe|Tool|LikeButton|DeleteDialog|swipe)|lib\/(people|ui\/Dialog|i18n\/guest|upload\/(pieces|parts))\b)/;

// Whose icons it shows, too.
const PARTS = ['upload/UploadThumb', 'people/Camera', 'ui/Dialog', 'ui/Toasts'].map((part) => `src/lib/${part}.svelte`);

/** The guests' page, built by itself: what it takes from `src/lib` is its own copy, so that neither weighs on the other. */
export default defineConfig(
  mergeConfig(shared, {
    plugins: [lean(['src/guest', ...PARTS]), compressed()],
    publicDir: false,
    build: {
      emptyOutDir: false, // beside the app, which is built first
      cssCodeSplit: false, // all of it is little: what is loaded later needs nobody to load its style first
      modulePreload: false,
      rolldownOptions: {
        input: 'guest.html',
        output: { codeSplitting: { groups: [{ name: 'guest', test: (id: string) => !LATER.test(id) }] } },
      },
      manifest: '.vite/guest.json',
    },
  }),
);
