import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Slideshow } from './slideshow.svelte';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('document', { addEventListener: () => undefined, removeEventListener: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a photo that cannot be loaded does not end the show: it is tried again', async () => {
  const next = vi.fn<() => Promise<boolean>>();
  next.mockRejectedValueOnce(new Error('no network')).mockResolvedValueOnce(true).mockResolvedValueOnce(false);
  const show = new Slideshow(next);
  show.toggle();
  show.shown();
  await vi.advanceTimersByTimeAsync(5000);
  expect(show.isOn).toBe(true);
  await vi.advanceTimersByTimeAsync(5000);
  expect(next).toHaveBeenCalledTimes(2);
  show.shown();
  await vi.advanceTimersByTimeAsync(5000);
  expect(show.isOn).toBe(false);
});
