import { defineConfig, mergeConfig } from 'vite';
import { compressed } from './compressed.js';
import { shared } from './vite.config.ts';

/** The guests' page, built by itself: what it takes from `src/lib` is its own copy, so that neither weighs on the other. */
export default defineConfig(
  mergeConfig(shared, {
    plugins: [compressed()],
    publicDir: false,
    build: {
      emptyOutDir: false, // beside the app, which is built first
      rolldownOptions: { input: 'guest.html' },
      manifest: '.vite/guest.json',
    },
  }),
);
