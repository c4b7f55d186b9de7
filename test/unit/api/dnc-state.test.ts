import { expect, test } from 'vitest';
import { dncStateOf } from '../../../api/pages/parts/dnc-state.ts';

const NOW = new Date('2026-12-01T00:00:00Z');
const LOOKED_UP = new Date('2026-11-28T10:00:00Z');
const kindOf = (dnc: boolean | null, dnc_as_of: string | null, at = LOOKED_UP) => {
  const { kind, checked } = dncStateOf({ dnc, dnc_as_of }, at, NOW);
  return [kind, checked];
};

test('a number is clear to call only with a registry of the last 31 days', () => {
  expect(kindOf(false, '2026-10-31')).toEqual(['good', '2026-10-31']);
  expect(kindOf(false, '2026-10-30')).toEqual(['warn', '2026-10-30']);
  // A listed number stays listed.
  expect(kindOf(true, '2024-01-01')).toEqual(['bad', '2024-01-01']);
  // A provider's flag is from the day of the lookup.
  expect(kindOf(false, null)).toEqual(['good', LOOKED_UP]);
  expect(kindOf(null, null)).toEqual(['warn', null]);
});
