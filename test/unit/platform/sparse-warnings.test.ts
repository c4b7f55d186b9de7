import type { Logger } from 'pino';
import { expect, test } from 'vitest';
import { sparseWarnings } from '../../../shared/platform/log.ts';

test('an hour of failures is logged at growing intervals, and the next outage from its start', () => {
  let now = 1_000_000;
  const at: number[] = [];
  const log = { warn: () => at.push(now - 1_000_000) } as unknown as Logger;
  const warn = sparseWarnings(log, () => now);
  for (; now < 1_000_000 + 3_600_000; now += 100) warn(new Error('away'), 'the database is away');
  expect(at.slice(0, 8)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 127_000]);
  expect(at.length).toBeLessThan(70);
  const before = at.length;
  now += 200_000;
  for (let n = 0; n < 20; n++, now += 100) warn(new Error('away'), 'the database is away');
  expect(at.slice(before).map(time => time - at[before]!)).toEqual([0, 1_000]);
});
