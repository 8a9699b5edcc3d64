/** Whether faces are looked for here at all: somebody may have switched it off, or a part of Sparks is missing. */
import { api, told } from '../api/client';

export type FaceFinding = 'works' | 'off' | 'missing';

export async function faceFinding(): Promise<FaceFinding> {
  const { siteFaces, findsFaces } = await told(api.GET('/api/me/consent'));
  if (!siteFaces) return 'off';
  return findsFaces ? 'works' : 'missing';
}
