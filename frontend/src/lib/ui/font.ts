/** Inter. The first time it comes after the pictures, since it is as large as a dozen of them, and fonts of the system
 * stand in for it (`fonts.css`); from then on the browser has it, and it is there at once.
 */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { calm } from './calm';

const KEY = 'sparks.font';

export async function loadFont({ atOnce }: { atOnce: boolean }): Promise<void> {
  if (!atOnce && !localStorage.getItem(KEY)) await calm;
  const face = new FontFace('Inter Variable', `url(${inter}) format('woff2-variations')`, { weight: '100 900' });
  document.fonts.add(await face.load());
  localStorage.setItem(KEY, '1');
}
