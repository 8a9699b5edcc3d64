import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { compressed } from './compressed.js';

const SERVER = process.env.SPARKS_URL ?? 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [svelte(), compressed()],
  resolve: { alias: { $lib: fileURLToPath(new URL('./src/lib', import.meta.url)) } },
  build: {
    outDir: '../src/sparks/api/web/app',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the policy lets in no style, font or picture that stands inside a page
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': SERVER, '/media': SERVER, '/blobs': SERVER, '/readyz': SERVER } },
});
