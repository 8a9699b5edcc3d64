import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import en from '$lib/i18n/guest/en';

/** Modules of the app that the guests' page uses: its messages must have their keys. */
const SHARED = [
  'people/SelfieCamera.svelte',
  'ui/Dialog.svelte',
  'ui/ToastList.svelte',
  'ui/toasts.svelte.ts',
  'upload/uploadTexts.ts',
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
