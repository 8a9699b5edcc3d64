/** Typed HTTP client of the API, generated types with a small fetch below.
 *
 * The types are those of openapi-fetch; its code would be larger than a page of ours.
 */
import type { Client } from 'openapi-fetch';
import { ApiError, Unreachable } from './errors';
import type { paths } from './schema';

const SAFE = new Set(['GET', 'HEAD']);

const DOORS = /^\/api\/(session|setup|register|me\/profile)$/; // paths where 401 does not mean that the session has ended

/** `over`: the session has ended. */
export const sessionEvents = new EventTarget();

/** Headers of every request. */
export const defaultHeaders: Record<string, string> = {};

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

export function urlOf(path: string, { path: places = {}, query = {} }: NonNullable<Asked['params']> = {}): string {
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
    ...defaultHeaders,
    ...named,
    ...headers,
  };
}

async function ask(method: string, path: string, asked: Asked = {}): Promise<Answered<unknown>> {
  const { body, bodySerializer = JSON.stringify, signal = null, parseAs } = asked;
  const address = urlOf(path, asked.params);
  const sent = body === undefined ? null : bodySerializer(body);
  const response = await fetch(address, { method, headers: headersOf(method, asked), body: sent, signal }).catch(
    toUnreachable,
  );
  if (response.status === 401 && !DOORS.test(path)) sessionEvents.dispatchEvent(new Event('over'));
  if (response.ok && parseAs) return { data: await response[parseAs]().catch(toUnreachable), response };
  const text = await response.text().catch(toUnreachable);
  if (response.ok) return { data: text ? JSON.parse(text) : undefined, response };
  return { error: parseBody(text), response };
}

/** Turns a network error into Unreachable; aborts pass. */
export function toUnreachable(error: unknown): never {
  throw error instanceof DOMException && error.name === 'AbortError' ? error : new Unreachable();
}

/** A proxy may refuse a request with a body that is no JSON. */
export function parseBody(text: string): unknown {
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

/** Body of a response; throws ApiError if the request was refused. */
export async function unwrap<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (!response.ok) throw ApiError.of(response, error);
  return data as T;
}
