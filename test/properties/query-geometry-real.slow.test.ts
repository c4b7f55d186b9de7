import Flatbush from 'flatbush';
import { beforeAll, describe, expect, test } from 'vitest';
import { boxContains, boxesIntersect } from '../../shared/geo/box.ts';
import { coverQuery } from '../../shared/geo/cells.ts';
import { fromE7 } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import { intersects, prepareQuery } from '../../shared/geo/intersects.ts';
import type { QueryGeometry } from '../../shared/geo/query-geometry.ts';
import { exactlyIntersects } from '../support/exact-geometry.ts';
import { bangorParcels, type StoredParcel, washingtonParcels } from '../support/real-parcels.ts';
import { ring } from '../support/rings.ts';

const asQuery = (boundary: MultiPolygon): QueryGeometry => ({ points: [], lines: [], polygons: boundary });

/** How far, in units, a query is moved from the parcel that it is made of. */
const SHIFTS = ring('0 0, 1 0, -3 2, 4000 -7000');

describe.each([
  { town: 'Washington', load: async () => washingtonParcels(), every: 12 },
  { town: 'Bangor', load: bangorParcels, every: 250 },
])('the parcels of $town against their neighbours', ({ load, every }) => {
  let parcels: StoredParcel[] = [];
  let index: Flatbush;

  beforeAll(async () => {
    parcels = await load();
    index = new Flatbush(parcels.length);
    for (const { extentE7 } of parcels) index.add(...extentE7);
    index.finish();
  });

  /** Every so many parcels, moved, with the parcels whose boxes meet it or nearly do. */
  function* neighborhoods(step = every) {
    for (let i = 0; i < parcels.length; i += step) {
      const [dx, dy] = SHIFTS[(i / every) % SHIFTS.length]!;
      const { boundary, extentE7 } = parcels[i]!;
      const [w, s, e, n] = extentE7;
      const move = ([lon, lat]: Position): Position => [
        fromE7(Math.round(lon * 1e7) + dx),
        fromE7(Math.round(lat * 1e7) + dy),
      ];
      const moved = boundary.map(polygon => polygon.map(ring => ring.map(move)));
      // Boundaries of thousands of vertices are for the kernels; BigInt takes minutes over them.
      const near = index.search(w + dx - 100, s + dy - 100, e + dx + 100, n + dy + 100).map(k => parcels[k]!);
      const vertices = moved.flat(2).length;
      yield { moved, near: near.filter(other => other.boundary.flat(2).length * vertices < 10_000) };
    }
  }

  test('areas, outlines, and corners intersect exactly as in exact arithmetic', () => {
    const seen = { true: 0, false: 0 };
    for (const { moved, near } of neighborhoods()) {
      const outline: QueryGeometry = { points: [], lines: moved.flat(), polygons: [] };
      const corner: QueryGeometry = { points: [moved[0]![0]![0]!], lines: [], polygons: [] };
      for (const query of [asQuery(moved), outline, corner]) {
        const prepared = prepareQuery(query);
        for (const { boundary } of near) {
          const expected = exactlyIntersects(query, boundary);
          seen[`${expected}`]++;
          expect(intersects(prepared, boundary)).toBe(expected);
        }
      }
    }
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
  });

  test('the cover finds the same parcels as testing all of them, whatever the number of cells', () => {
    // Every parcel is asked, so of fewer places.
    for (const { moved } of neighborhoods(3 * every)) {
      const query = prepareQuery(asQuery(moved));
      const all = parcels.filter(({ boundary }) => intersects(query, boundary));
      for (const maxCells of [1, 10, 100]) {
        const { inner, edge } = coverQuery(query, maxCells);
        const found = parcels.filter(
          ({ location: [x, y], extentE7, boundary }) =>
            inner.some(box => boxContains(box, x, y)) ||
            (edge.some(box => boxesIntersect(box, extentE7)) && intersects(query, boundary)),
        );
        expect(found).toEqual(all);
      }
    }
  });
});
