/** Texts of file, camera, exposure and place. */
import type { ImageDetails } from '../api/types';
import { bytes, number } from '../i18n/i18n.svelte';

const joined = (parts: readonly (string | false | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const figure = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** As `12.2 MP · 4,032 × 3,024 · 3.2 MB`. */
export function fileFacts({ width, height, fileSize }: ImageDetails): string {
  const pixels = (width ?? 0) * (height ?? 0);
  return joined([
    pixels >= 1e5 && `${number(Math.round(pixels / 1e5) / 10)} MP`,
    pixels > 0 && `${number(width ?? 0)} × ${number(height ?? 0)}`,
    fileSize ? bytes(fileSize) : '',
  ]);
}

export function cameraName({ exif }: ImageDetails): string {
  const [make, model] = [text(exif?.['make']), text(exif?.['model'])];
  const hasMake = model.toLowerCase().startsWith(make.toLowerCase());
  return text(exif?.['camera']) || (hasMake ? model : `${make} ${model}`.trim());
}

export const lensName = ({ exif }: ImageDetails): string => text(exif?.['lens']);

/** As `f/1.8 · 1/120 s · 26 mm · ISO 100`. */
export function exposure({ exif }: ImageDetails): string {
  const [aperture, length] = [figure(exif?.['fNumber']), figure(exif?.['focalLength'])];
  const [bias, iso] = [figure(exif?.['exposureBias']), figure(exif?.['iso'])];
  const shutter = text(exif?.['shutterSpeed']);
  return joined([
    aperture !== null && `ƒ/${number(aperture)}`,
    shutter && (shutter.endsWith('s') ? shutter : `${shutter} s`),
    length !== null && `${number(length)} mm`,
    bias !== null && bias !== 0 && `${bias > 0 ? '+' : '−'}${number(Math.abs(bias))} EV`,
    iso !== null && `ISO ${iso}`,
  ]);
}

export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

export function coordinatesOf({ location }: ImageDetails): Coordinates | null {
  const [latitude, longitude] = [figure(location?.['latitude']), figure(location?.['longitude'])];
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

/** As `48.8584° N, 2.2945° E`. */
export function inDegrees({ latitude, longitude }: Coordinates): string {
  const one = (value: number, letters: string) => `${Math.abs(value).toFixed(4)}° ${letters.charAt(value < 0 ? 1 : 0)}`;
  return `${one(latitude, 'NS')}, ${one(longitude, 'EW')}`;
}

/** For programs. */
export const coordinateText = ({ latitude, longitude }: Coordinates): string =>
  `${latitude.toFixed(6)},${longitude.toFixed(6)}`;

const FAR = 5; // kilometers

/** The same with the radius of a search. */
export const nearQuery = ({ latitude, longitude }: Coordinates): string =>
  `${latitude.toFixed(3)},${longitude.toFixed(3)},${FAR}`;
