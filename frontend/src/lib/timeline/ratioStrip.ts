/** Binary format of all photos' aspect ratios, one byte each. They are enough for the whole layout. */
import { clampRatio } from '../photos/justifiedRows';

/** Photos are newest first. */
export interface MonthRatios {
  readonly month: string;
  /** Changes with every change in the month; 0 while a change is under way. */
  readonly version: number;
  readonly ratios: Uint8Array;
}

const HEAD = 20; // bytes before the ratios of a month
const SQUARE = 128;
const OCTAVE = 36;

/** Ratio (width by height) of each byte, clamped. */
export const RATIOS = Float64Array.from({ length: 256 }, (_, byte) => clampRatio(2 ** ((byte - SQUARE) / OCTAVE)));

/** Months of a strip, newest first; an incomplete one at its end is left out. */
export function parseRatioStrip(strip: ArrayBuffer): MonthRatios[] {
  const view = new DataView(strip);
  const months: MonthRatios[] = [];
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
