import { thumbHashToRGBA } from 'thumbhash';
import { expect, test } from 'vitest';
import { bitmapOf, thumbhashUrl } from './thumbhash';

const HASHES = ['1QcSHQRnh493V4dIh4eXh1h4kJUI', '3PcNNYSFeXh/d3eld0iHZoZgVwh2', 'YJqGPQw7sFlslqhFafSE+Q6oJ1h2iHB2Rw=='];
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

test.each(HASHES)('a placeholder has the colours that the thumbhash tells: %s', (hash) => {
  const bitmap = bitmapOf(bytesOf(hash));
  const view = new DataView(bitmap.buffer);
  const [width, height] = [view.getInt32(18, true), view.getInt32(22, true)];
  const line = (width * 3 + 3) & ~3;
  expect(bitmap.length).toBe(54 + line * height);
  const whole = thumbHashToRGBA(bytesOf(hash));
  for (const [x, y] of [
    [0.1, 0.1],
    [0.5, 0.5],
    [0.9, 0.2],
    [0.3, 0.8],
  ] as const) {
    const from = (Math.floor(y * whole.h) * whole.w + Math.floor(x * whole.w)) * 4;
    const at = 54 + (height - 1 - Math.floor(y * height)) * line + Math.floor(x * width) * 3;
    for (const part of [0, 1, 2])
      expect(Math.abs((bitmap[at + 2 - part] ?? 0) - (whole.rgba[from + part] ?? 0))).toBeLessThan(32);
  }
});

test('a photo without a thumbhash has no placeholder', () => {
  expect(thumbhashUrl('')).toBeUndefined();
});
