/** The API as the server describes it: paths and shapes come from its own document. */
import createClient, { type Middleware } from 'openapi-fetch';
import { ApiError, Unreachable } from './errors';
import type { paths } from './schema';

const SAFE = new Set(['GET', 'HEAD']);

const DOORS = /^\/api\/(session|setup|register|me\/profile)$/; // where 401 is an answer to who is asking, not the end of it

/** `over`: the session that was there ended, wherever that was noticed. */
export const signedOut = new EventTarget();

const ours: Middleware = {
  onRequest({ request }) {
    if (!SAFE.has(request.method)) request.headers.set('X-Sparks-CSRF', '1');
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 401 && !DOORS.test(new URL(request.url).pathname))
      signedOut.dispatchEvent(new Event('over'));
  },
  onError({ error }) {
    return error instanceof DOMException && error.name === 'AbortError' ? error : new Unreachable();
  },
};

export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });
api.use(ours);

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What was answered, or an ApiError in the server's own words. */
export async function told<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (!response.ok) throw ApiError.of(response, error);
  return data as T;
}
