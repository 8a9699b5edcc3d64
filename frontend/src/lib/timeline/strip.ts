/** The shapes of all photos, one byte each, as the server tells them: enough to lay out everything. */
import { clamped } from '../photos/layout';

/** A month, newest photo first. */
export interface Shapes {
  readonly month: string;
  /** Changes with whatever changes in the month; 0 while it is changing. */
  readonly version: number;
  readonly ratios: Uint8Array;
}

const HEAD = 20; // bytes before the shapes of a month
const SQUARE = 128;
const OCTAVE = 36;

/** Width by height of each byte, as photos are shown. */
export const RATIOS = Float64Array.from({ length: 256 }, (_, byte) => clamped(2 ** ((byte - SQUARE) / OCTAVE)));

/** The months of a strip, newest first. Of one that is cut off, those that are whole. */
export function parseStrip(strip: ArrayBuffer): Shapes[] {
  const view = new DataView(strip);
  const months: Shapes[] = [];
  for (let at = 0; at + HEAD <= strip.byteLength;) {
    const month = String.fromCharCode(...new Uint8Array(strip, at, 7));
    const version = view.getUint32(at + 8) * 2 ** 32 + view.getUint32(at + 12);
    const count = view.getUint32(at + 16);
    at += HEAD;
    if (at + count <= strip.byteLength && count)
      months.push({ month, version, ratios: new Uint8Array(strip, at, count) });
    at += count;
  }
  return months;
}
