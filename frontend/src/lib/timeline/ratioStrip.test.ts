import { describe, expect, test } from 'vitest';
import { parseRatioStrip, RATIOS } from './ratioStrip';

export function piece(month: string, version: number, ratios: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(20 + ratios.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(month));
  view.setBigUint64(8, BigInt(version));
  view.setUint32(16, ratios.length);
  bytes.set(ratios, 20);
  return bytes;
}

const joined = (...pieces: readonly Uint8Array[]) => new Uint8Array(pieces.flatMap((each) => [...each])).buffer;

describe('a strip', () => {
  test('tells months with versions and the shapes of their photos', () => {
    const months = parseRatioStrip(joined(piece('2025-08', 2 ** 40 + 7, [128, 149]), piece('2024-12', 0, [107])));
    expect(months.map(({ month, version }) => [month, version])).toEqual([
      ['2025-08', 2 ** 40 + 7],
      ['2024-12', 0],
    ]);
    expect([...(months[0]?.ratios ?? [])]).toEqual([128, 149]);
  });

  test('that is cut off tells the months that are whole', () => {
    const whole = joined(piece('2025-08', 1, [128]), piece('2024-12', 1, [107, 107]));
    expect(parseRatioStrip(whole.slice(0, -1)).map(({ month }) => month)).toEqual(['2025-08']);
    expect(parseRatioStrip(new ArrayBuffer(0))).toEqual([]);
  });

  test('leaves out months without photos', () => {
    expect(parseRatioStrip(joined(piece('2025-08', 3, [])))).toEqual([]);
  });

  test('has ratios that are what they were, within two per cent, and never too narrow or too wide to show', () => {
    expect(RATIOS[128]).toBe(1);
    expect(Math.abs((RATIOS[149] ?? 0) - 1.5)).toBeLessThan(0.03);
    expect(RATIOS[0]).toBe(0.35);
    expect(RATIOS[255]).toBe(4);
  });
});
