/** Thumbhash decoder: a hash becomes a tiny bitmap URL, cached.
 *
 * A page of new photos shows forty of them in one frame. So they are drawn at 16 pixels, with precomputed cosines, and
 * as bitmaps without compression.
 */

import { yieldToBrowser } from '../yieldToBrowser';

const MOST = 1500;
const FEW = 6;
const SIDE = 16;
const HEAD = 54; // bytes of a bitmap's header
const made = new Map<string, string>();
const waves = new Map<number, Float32Array>();

/** Data URL of the bitmap, or undefined without a thumbhash. */
export function thumbhashUrl(thumbhash: string): string | undefined {
  if (!thumbhash) return undefined;
  const known = made.get(thumbhash);
  if (known) return known;
  const url = `data:image/bmp;base64,${btoa(String.fromCharCode(...bitmapOf(bytesOf(thumbhash))))}`;
  if (made.size >= MOST) made.delete(made.keys().next().value ?? '');
  made.set(thumbhash, url);
  return url;
}

/** Decodes some in advance, a few at a time, while the page starts. */
export async function prerenderThumbhashes(thumbhashes: readonly string[]): Promise<void> {
  for (let at = 0; at < thumbhashes.length; at += FEW) {
    thumbhashes.slice(at, at + FEW).forEach(thumbhashUrl);
    await yieldToBrowser();
  }
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** 24 bits a pixel, lowest line first. */
export function bitmapOf(hash: Uint8Array): Uint8Array {
  const { width, height, light, yellow, red } = channelsOf(hash);
  const line = (width * 3 + 3) & ~3;
  const bitmap = new Uint8Array(HEAD + line * height);
  writeHead(new DataView(bitmap.buffer), width, height);
  for (let y = 0, pixel = 0; y < height; y++) {
    let at = HEAD + (height - 1 - y) * line;
    for (let x = 0; x < width; x++, pixel++) {
      const l = light[pixel] ?? 0;
      const q = red[pixel] ?? 0;
      const blue = l - (2 / 3) * (yellow[pixel] ?? 0);
      const r = (3 * l - blue + q) / 2;
      bitmap[at++] = shade(blue);
      bitmap[at++] = shade(r - q);
      bitmap[at++] = shade(r);
    }
  }
  return bitmap;
}

const shade = (part: number): number => 255 * Math.min(1, Math.max(0, part));

function writeHead(view: DataView, width: number, height: number): void {
  view.setUint16(0, 0x424d);
  view.setUint32(2, view.byteLength, true);
  view.setUint32(10, HEAD, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
}

/** Channels of a thumbhash: light, yellow to blue, and red to green. Its alpha is ignored. */
function channelsOf(hash: Uint8Array) {
  const head = (hash[0] ?? 0) | ((hash[1] ?? 0) << 8) | ((hash[2] ?? 0) << 16);
  const more = (hash[3] ?? 0) | ((hash[4] ?? 0) << 8);
  const hasAlpha = head >> 23 !== 0;
  const isWide = more >> 15 !== 0;
  const long = hasAlpha ? 5 : 7;
  const short = Math.max(1, more & 7);
  const [across, down] = isWide ? [long, short] : [short, long];
  const width = Math.max(1, Math.round(isWide ? SIDE : (SIDE * short) / long));
  const height = Math.max(1, Math.round(isWide ? (SIDE * short) / long : SIDE));
  let nibble = hasAlpha ? 12 : 10;
  const next = (): number => {
    const byte = hash[nibble >> 1] ?? 0;
    return ((nibble++ & 1 ? byte >> 4 : byte) & 15) / 7.5 - 1;
  };
  const drawn = (mean: number, scale: number, nx: number, ny: number) =>
    channel({ mean, scale, nx, ny, width, height, next });
  return {
    width,
    height,
    light: drawn((head & 63) / 63, ((head >> 18) & 31) / 31, Math.max(3, across), Math.max(3, down)),
    yellow: drawn(((head >> 6) & 63) / 31.5 - 1, (((more >> 3) & 63) / 63) * 1.25, 3, 3),
    red: drawn(((head >> 12) & 63) / 31.5 - 1, (((more >> 9) & 63) / 63) * 1.25, 3, 3),
  };
}

interface Channel {
  readonly mean: number;
  readonly scale: number;
  readonly nx: number;
  readonly ny: number;
  readonly width: number;
  readonly height: number;
  readonly next: () => number;
}

function channel({ mean, scale, nx, ny, width, height, next }: Channel): Float32Array {
  const values = new Float32Array(width * height).fill(mean);
  const across = wavesOf(width);
  const down = wavesOf(height);
  for (let cy = 0; cy < ny; cy++) {
    for (let cx = cy ? 0 : 1; cx * ny < nx * (ny - cy); cx++) {
      const factor = next() * scale * 2;
      for (let y = 0, at = 0; y < height; y++) {
        const strength = factor * (down[cy * height + y] ?? 0);
        for (let x = 0; x < width; x++, at++) values[at] = (values[at] ?? 0) + strength * (across[cx * width + x] ?? 0);
      }
    }
  }
  return values;
}

/** Cosines for so many pixels and every frequency of a thumbhash. */
function wavesOf(size: number): Float32Array {
  const known = waves.get(size);
  if (known) return known;
  const table = new Float32Array(8 * size);
  for (let c = 0; c < 8; c++)
    for (let x = 0; x < size; x++) table[c * size + x] = Math.cos((Math.PI / size) * (x + 0.5) * c);
  waves.set(size, table);
  return table;
}
