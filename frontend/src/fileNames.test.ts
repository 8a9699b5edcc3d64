import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** An import of `viewer.svelte` also finds `Viewer.svelte` and `viewer.svelte.ts` where file systems ignore case. */
const importName = (path: string): string => join(dirname(path), basename(path).replace(/\.ts$/, '')).toLowerCase();

it('no two files of a folder have names that differ by case only', () => {
  const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|svelte)$/.test(path));
  const names = paths.filter((path) => !path.endsWith('.d.ts')).map(importName);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
