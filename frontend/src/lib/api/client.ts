/** The API as the server describes it: paths and shapes come from its own document. */
import createClient, { type Middleware } from 'openapi-fetch';
import { ApiError, Unreachable } from './errors';
import type { paths } from './schema';

const SAFE = new Set(['GET', 'HEAD']);

const ours: Middleware = {
  onRequest({ request }) {
    if (!SAFE.has(request.method)) request.headers.set('X-Sparks-CSRF', '1');
    return request;
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
