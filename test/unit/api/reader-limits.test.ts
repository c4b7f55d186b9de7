import { expect, test } from 'vitest';
import { openReaderLimits } from '../../../api/files/reader-limits.ts';

const refused = expect.objectContaining({
  code: 'rate_limited',
  status: 429,
  headers: { 'Retry-After': '10' },
});

test.each([
  ['address', 8],
  ['account', 16],
] as const)('an %s has up to %i readers at once', (kind, most) => {
  const readers = openReaderLimits();
  const leave = Array.from({ length: most }, () => readers.enter(kind, 'a'));
  expect(() => readers.enter(kind, 'a')).toThrow(refused);
  readers.enter(kind, 'b');
  leave[0]!();
  leave.push(readers.enter(kind, 'a'));
  expect(() => readers.enter(kind, 'a')).toThrow(refused);
});
