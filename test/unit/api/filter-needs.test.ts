import { expect, test } from 'vitest';
import { isLacking, type Known, missingDataText } from '../../../api/pages/map/filter-needs.ts';
import { NEEDS } from '../../../shared/model/loaded-data.ts';

const withLayers = (...kinds: string[]) =>
  ({ coverage: { sources: kinds.map(kind => ({ kind })) }, filled: new Set() }) as unknown as Known;
const BUILDABLE = { label: 'Buildable acres', needs: NEEDS.buildable };
const WETLANDS = { label: 'Wetlands', needs: NEEDS.wetlands };

test('buildable land lacks the layers that are not loaded, each named once', () => {
  expect(isLacking(BUILDABLE, withLayers('elevation', 'wetlands', 'flood'))).toBe(false);
  expect(isLacking(BUILDABLE, withLayers('elevation', 'flood'))).toBe(true);
  expect(isLacking(BUILDABLE, undefined)).toBe(false);
  expect(missingDataText([BUILDABLE], withLayers('elevation', 'flood'))).toBe('wetlands data');
  expect(missingDataText([WETLANDS, BUILDABLE], withLayers('elevation'))).toBe('wetlands or flood zone data');
  expect(missingDataText([BUILDABLE])).toBe('slope, wetlands, or flood zone data');
  expect(missingDataText([{ label: 'Zoning', needs: undefined }])).toBe('zoning data');
});
