import { expect, test } from 'vitest';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { prepareShares } from '../../../shared/kernels/overlap.ts';
import { square } from '../../support/parcels.ts';

test('an area of 2 million vertices is measured', () => {
  const count = 2_000_000;
  const rim = Array.from({ length: count }, (_, i): Position => {
    const angle = (2 * Math.PI * i) / count;
    return [-72 + 0.1 * Math.cos(angle), 43 + 0.1 * Math.sin(angle)];
  });
  const shares = prepareShares([{ shape: [[[...rim, rim[0]!]]], groups: [0] }], 1);
  expect(shares.of(square(-72, 43)).groups[0]).toBeCloseTo(100, 7);
  expect(shares.of(square(-71.9, 43)).groups[0]).toBeCloseTo(50, 0);
  expect(shares.of(square(-71, 43)).groups[0]).toBe(0);
}, 300_000);
