/** Vite plugin that writes Brotli and gzip versions of all text files, from which the server picks. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TEXTS = new Set(['.css', '.html', '.js', '.json', '.svg', '.webmanifest']);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** @returns {import('vite').Plugin} */
export function compressed() {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: (config) => void (folder = config.build.outDir),
    closeBundle: () => filesIn(folder).forEach(compress),
  };
}

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} path */
function compress(path) {
  if (!TEXTS.has(extname(path)) || existsSync(`${path}.br`)) return; // another build may have written to the folder before
  const content = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(content, BROTLI));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
