import { expect, test } from 'vitest';
import { freshnessLifetimeMs } from '../../../../api/images/fetch-imagery.ts';

const NOW = Date.parse('2026-07-01T12:00:00Z');

test.each([
  ['what may be kept for a minute', { 'cache-control': 'public, max-age=60' }, 60],
  ['what is old already', { 'cache-control': 'max-age=60', age: '45' }, 15],
  ['what is too old', { 'cache-control': 'max-age=60', age: '90' }, 0],
  ['what must not be kept', { 'cache-control': 'no-store, max-age=60' }, 0],
  ['what must be asked for each time', { 'cache-control': 'no-cache' }, 0],
  [
    'an age that wins over a date',
    { 'cache-control': 'max-age=60', expires: 'Wed, 01 Jul 2026 13:00:00 GMT' },
    60,
  ],
  ['a date', { expires: 'Wed, 01 Jul 2026 12:02:00 GMT' }, 120],
  ['a date that has passed', { expires: 'Wed, 01 Jul 2026 11:00:00 GMT' }, 0],
  ['what does not say', {}, 3600],
])('%s', (_, headers, seconds) => {
  expect(freshnessLifetimeMs(new Headers(headers), NOW)).toBe(1000 * seconds);
});
