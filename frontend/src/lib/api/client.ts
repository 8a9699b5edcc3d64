/** The API as the server describes it: paths and shapes come from its own document.
 *
 * [Note: our own] The types are those of openapi-fetch; what it does besides would weigh more than a page of ours.
 */
import type { Client } from 'openapi-fetch';
import { ApiError, Unreachable } from './errors';
import type { paths } from './schema';

const SAFE = new Set(['GET', 'HEAD']);

const DOORS = /^\/api\/(session|setup|register|me\/profile)$/; // where 401 is an answer to who is asking, not the end of it

/** `over`: the session that was there ended, wherever that was noticed. */
export const signedOut = new EventTarget();

/** Headers that go with every request. */
export const sentAlong: Record<string, string> = {};

type Query = Readonly<Record<string, unknown>>;
interface Asked {
  readonly params?: { readonly path?: Query; readonly query?: Query; readonly header?: Query };
  readonly body?: unknown;
  readonly bodySerializer?: (body: unknown) => BodyInit;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly parseAs?: 'arrayBuffer';
}
interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const isSaid = ([, value]: [string, unknown]): boolean => value !== undefined && value !== null;

export function addressOf(path: string, { path: places = {}, query = {} }: NonNullable<Asked['params']> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(places[name])));
  const pairs = Object.entries(query)
    .filter(isSaid)
    .flatMap(([name, value]) => [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`));
  return pairs.length ? `${filled}?${pairs.join('&')}` : filled;
}

function headersOf(method: string, { params, body, headers }: Asked): Record<string, string> {
  const named = Object.fromEntries(Object.entries(params?.header ?? {}).filter(isSaid)) as Record<string, string>;
  return {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(!SAFE.has(method) && { 'X-Sparks-CSRF': '1' }),
    ...sentAlong,
    ...named,
    ...headers,
  };
}

async function ask(method: string, path: string, asked: Asked = {}): Promise<Answered<unknown>> {
  const { body, bodySerializer = JSON.stringify, signal = null, parseAs } = asked;
  const address = addressOf(path, asked.params);
  const sent = body === undefined ? null : bodySerializer(body);
  const response = await fetch(address, { method, headers: headersOf(method, asked), body: sent, signal }).catch(cut);
  if (response.status === 401 && !DOORS.test(path)) signedOut.dispatchEvent(new Event('over'));
  if (response.ok && parseAs) return { data: await response[parseAs]().catch(cut), response };
  const text = await response.text().catch(cut);
  if (response.ok) return { data: text ? JSON.parse(text) : undefined, response };
  return { error: parsed(text), response };
}

/** What did not come at all. */
export function cut(error: unknown): never {
  throw error instanceof DOMException && error.name === 'AbortError' ? error : new Unreachable();
}

/** What refuses a request may stand before Sparks, and say so in other words. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const verb = (method: string) => (path: string, asked?: Asked) => ask(method, path, asked);

export const api = {
  GET: verb('GET'),
  POST: verb('POST'),
  PUT: verb('PUT'),
  PATCH: verb('PATCH'),
  DELETE: verb('DELETE'),
} as unknown as Pick<Client<paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>;

/** What was answered, or an ApiError in the server's own words. */
export async function told<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (!response.ok) throw ApiError.of(response, error);
  return data as T;
}
