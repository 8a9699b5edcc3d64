/** A link's code as a file. */
import type { KeptLink } from './kept';

export const svgOf = ({ svg }: KeptLink): Blob => new Blob([svg], { type: 'image/svg+xml' });

export const pngOf = ({ png }: KeptLink): Blob =>
  new Blob([Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))], { type: 'image/png' });

export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name.replace(/[\\/:*?"<>|]+/g, ' ').trim();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // browsers may begin to save it late
}
