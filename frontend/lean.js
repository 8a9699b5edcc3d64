/** Vite plugin that removes code from shared modules which the guests' page does not need. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HELPER = '\0vite/preload-helper.js';

// Svelte's switch for hydration of server-rendered pages. There are none here: as a constant, its code is dropped.
const TAKES_OVER = /export let hydrating = false;([^]*?)\thydrating = value;\n/;

/** Keeps only the icons that files in `folders` name, and drops Vite's helper that loads styles with scripts, since
 * this page has one stylesheet.
 *
 * @param {string[]} folders
 *
 * @returns {import('vite').Plugin}
 */
export function lean(folders) {
  return {
    name: 'lean',
    enforce: 'pre',
    load: (id) => (id === HELPER ? 'export const __vitePreload = (load) => load();' : null),
    transform(code, id) {
      if (id.endsWith('dom/hydration.js')) return withoutTakingOver(code);
      if (!id.endsWith('ui/icons.ts')) return null;
      const named = new Set(folders.flatMap(filesIn).flatMap(wordsIn));
      return code.replace(/^ {2}(\w+):\s+'[^']*',\n/gm, (line, name) => (named.has(name) ? line : ''));
    },
  };
}

/** @param {string} name */
const isShipped = (name) => !name.includes('.test.');

/** @param {string} path */
const filesIn = (path) =>
  path.endsWith('.svelte')
    ? [path]
    : readdirSync(path)
        .filter(isShipped)
        .map((name) => join(path, name));

/** @param {string} path */
const wordsIn = (path) =>
  [...readFileSync(path, 'utf8').matchAll(/(?<=icon="|name="|icon: '|[?:] ')(\w+)(?=["'])/g)].map(([word]) => word);

/** @param {string} code */
function withoutTakingOver(code) {
  if (!TAKES_OVER.test(code)) throw new Error('Svelte says otherwise now whether it is hydrating: see lean.js');
  return code.replace(TAKES_OVER, 'export const hydrating = false;$1');
}
