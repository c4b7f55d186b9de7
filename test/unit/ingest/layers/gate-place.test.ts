import { expect, test } from 'vitest';
import { sharedPercent } from '../../../../workers/ingest/layers/gate-layer.ts';

test('how much of a box another one contains', () => {
  expect(sharedPercent([0, 0, 2, 2], [1, 1, 3, 3])).toBe(25);
  expect(sharedPercent([0, 0, 2, 2], [-1, -1, 3, 3])).toBe(100);
  expect(sharedPercent([0, 0, 2, 2], [3, 0, 4, 2])).toBe(0);
  expect(sharedPercent([0, 1, 2, 1], [0, 0, 1, 2])).toBe(100);
});
