import { expect, test } from 'vitest';
import { backoffDelay } from '../../api/backoff';
import { Unreachable } from '../../api/errors';
import { UploadUrlExpired, MOST_TRIES, UnreadableFile, classifyFailure } from './failures';
import { refusal } from './fakes';

test.each([
  [new Unreachable(), 0, 'again'],
  [new Unreachable(), 1000, 'again'],
  [new UploadUrlExpired(403), 0, 'again'],
  [new UploadUrlExpired(403), MOST_TRIES, 'failed'],
  [new UnreadableFile(), 0, 'failed'],
  [new DOMException('', 'AbortError'), 0, 'stopped'],
  [refusal(401, 'NOT_SIGNED_IN'), 0, 'away'],
  [refusal(403, 'UPLOAD_LIMIT_REACHED'), 0, 'full'],
  [refusal(403, 'LINK_FULL'), 0, 'full'],
  [refusal(403, 'NOT_ALLOWED'), 0, 'refused'],
  [refusal(404, 'NOT_FOUND'), 0, 'lost'],
  [refusal(409, 'CONFLICT'), 0, 'again'],
  [refusal(413, 'TOO_LARGE'), 0, 'refused'],
  [refusal(415, 'UNSUPPORTED_TYPE'), 0, 'refused'],
  [refusal(422, 'DAMAGED'), 0, 'failed'],
  [refusal(429, 'TOO_MANY_TRIES'), 0, 'again'],
  [refusal(507, 'STORAGE_FULL'), 0, 'again'],
  [refusal(507, 'STORAGE_FULL'), MOST_TRIES, 'failed'],
])('%s after %i tries is %s', (error, tries, verdict) => {
  expect(classifyFailure(error, tries)).toBe(verdict);
});

test('the rest grows to a minute, a little by chance, and is never shorter than the server asks', () => {
  const rests = [0, 1, 2, 6, 50].map((tries) => backoffDelay(new Unreachable(), tries, 0.5));
  expect(rests).toEqual([1000, 2000, 4000, 60_000, 60_000]);
  expect(backoffDelay(new Unreachable(), 0, 0)).toBe(750);
  expect(backoffDelay(refusal(503, 'BUSY', { after: 90 }), 0, 0.5)).toBe(90_000);
});
