import { afterEach, expect, it, vi } from 'vitest';
import { urlOf, api, unwrap } from './client';
import { ApiError, Unreachable } from './errors';

afterEach(() => vi.unstubAllGlobals());

function answering(response: Response | Error) {
  const asked = vi.fn<typeof fetch>(async () => {
    if (response instanceof Error) throw response;
    return response;
  });
  vi.stubGlobal('fetch', asked);
  return asked;
}

it('an address has its places filled in, and what is said behind the ?', () => {
  const query = { limit: 100, cursor: undefined, few: false, person: ['a', 'b'] };
  expect(urlOf('/api/users/{email}/photos', { path: { email: 'ann@example.com' }, query })).toBe(
    '/api/users/ann%40example.com/photos?limit=100&few=false&person=a&person=b',
  );
  expect(urlOf('/api/guest')).toBe('/api/guest');
});

it('what changes something says so, as JSON', async () => {
  const asked = answering(new Response(null, { status: 204 }));
  await unwrap<unknown>(api.PATCH('/api/guest', { body: { name: 'Eve' } }));
  const [, request] = asked.mock.calls[0] ?? [];
  expect(request).toMatchObject({
    method: 'PATCH',
    body: '{"name":"Eve"}',
    headers: { 'Content-Type': 'application/json', 'X-Sparks-CSRF': '1' },
  });
});

it('a refusal is told in the words of the server, or of what stands before it', async () => {
  answering(Response.json({ error: 'LINK_FULL', message: 'enough', requestId: 'r1' }, { status: 403 }));
  await expect(unwrap(api.GET('/api/guest'))).rejects.toMatchObject({ code: 'LINK_FULL', message: 'enough' });
  answering(new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' }));
  await expect(unwrap(api.GET('/api/guest'))).rejects.toThrow(ApiError);
});

it('a network that is not there is told apart from what was called back', async () => {
  answering(new TypeError('Failed to fetch'));
  await expect(api.GET('/api/guest')).rejects.toThrow(Unreachable);
  answering(new DOMException('stop', 'AbortError') as unknown as Error);
  await expect(api.GET('/api/guest')).rejects.toThrow('stop');
});
