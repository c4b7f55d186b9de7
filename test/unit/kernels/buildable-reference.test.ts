import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { groundOf, UNBUILDABLE_REASONS, type UnbuildableReason } from '../../../shared/kernels/buildable.ts';

type Case = {
  shape: MultiPolygon;
  zones: Partial<Record<UnbuildableReason, MultiPolygon>>;
  acres: number;
  /** Shares computed by shapely (README.md beside the file). */
  reference: Record<UnbuildableReason | 'buildable' | 'piece', number>;
};

const file = fileURLToPath(new URL('../../fixtures/buildable/reference.ndjson', import.meta.url));
const cases = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): Case => JSON.parse(line));

test.each(cases.map((each, n) => [n, each] as const))('parcel %i agrees with shapely', (_n, each) => {
  const ground = groundOf(each.shape);
  for (const [reason, polygons] of Object.entries(each.zones))
    for (const polygon of polygons) ground.add(reason as UnbuildableReason, polygon);
  const { buildable, piece, reasons } = ground.measure();
  /** Within an allowed share, or 0.02 acres. */
  const expectNear = (share: number, expected: number, allowed: number) =>
    expect(Math.abs(share - expected)).toBeLessThan(Math.max(allowed, 0.02 / each.acres));
  expectNear(buildable, each.reference.buildable, 0.01);
  for (const reason of UNBUILDABLE_REASONS) expectNear(reasons[reason], each.reference[reason], 0.01);
  expectNear(piece, each.reference.piece, 0.02 * each.reference.piece);
});
