import type { Client } from '../../../shared/db.ts';
import { sql } from '../../../shared/db.ts';
import { acres, areaSqM } from '../../../shared/kernels/geometry/area.ts';
import { decodeBoundary } from '../../../shared/kernels/geometry/codec.ts';
import { combineParts } from '../../../shared/kernels/geometry/combine.ts';
import { measureBoundary } from './boundary.ts';

type SplitShape = { fips: number; key: string; row_nos: number[]; acres: number[]; boundaries: Buffer[] };

/**
 * Features staged under one key become one boundary: repeated ones collapse, overlapping ones are united.
 * @returns how many features were joined to an earlier one
 */
export async function joinShapes(client: Client): Promise<number> {
  const { rows } = await client.query<SplitShape>(sql('ingest/list_split_shapes'));
  let parts = 0;
  for (const { fips, key, row_nos, acres: stated, boundaries } of rows) {
    const polygons = combineParts(boundaries.map(decodeBoundary));
    const area = unitedAcres(acres(areaSqM(polygons)), stated);
    const { hash, location, extent, acres: total, boundary } = measureBoundary(polygons, area);
    await client.query(sql('ingest/join_shape_parts'), [
      fips,
      key,
      row_nos[0],
      hash,
      location,
      extent,
      total,
      Buffer.from(boundary),
    ]);
    parts += row_nos.length - 1;
  }
  return parts;
}

/**
 * Stored boundaries are rounded to 1e-7 degree (about 1 cm), their areas were measured before the rounding.
 * Parts that do not overlap therefore keep the sum of their exact areas; only where the union is smaller by more
 * than rounding can explain do they overlap, and the union's own area counts.
 */
function unitedAcres(united: number, stated: number[]): number {
  const sum = stated.reduce((a, b) => a + b, 0);
  return Math.abs(united - sum) <= sum * 1e-3 ? sum : united;
}
