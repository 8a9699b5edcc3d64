import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import en from '$lib/i18n/guest/en';

/** What the page shares with the app speaks with the page's words. */
const SHARED = [
  'people/Camera.svelte',
  'ui/Dialog.svelte',
  'ui/Toasts.svelte',
  'ui/toasts.svelte.ts',
  'upload/words.ts',
];
const files = [
  ...readdirSync('src/guest').map((name) => `src/guest/${name}`),
  ...SHARED.map((name) => `src/lib/${name}`),
];
const keys = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?<=')(ui|upload|people|guest)(\.\w+)+(?=')/g)].map(([key]) => key),
);

it.each([...new Set(keys)])('there are words for %s', (key) => {
  const found = key.split('.').reduce<unknown>((words, part) => (words as Record<string, unknown>)?.[part], en);
  expect(found).toBeTruthy();
});
