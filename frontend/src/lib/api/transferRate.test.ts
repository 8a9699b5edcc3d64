import { expect, test } from 'vitest';
import { TransferRate } from './transferRate';

test('nothing is told before it is known', () => {
  const pace = new TransferRate();
  expect(pace.secondsFor(1000, 0)).toBeNull();
  pace.add(100, 0);
  pace.add(100, 1000);
  expect(pace.secondsFor(1000, 2000)).toBeNull();
});

test('the time left goes by the last seconds', () => {
  const pace = new TransferRate();
  for (let second = 0; second <= 30; second++) pace.add(second < 20 ? 10 : 1000, second * 1000);
  const seconds = pace.secondsFor(10_000, 30_000) ?? 0;
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(20);
});

test('after a break it starts anew', () => {
  const pace = new TransferRate();
  for (let second = 0; second <= 10; second++) pace.add(100, second * 1000);
  pace.reset();
  expect(pace.secondsFor(1000, 11_000)).toBeNull();
});
