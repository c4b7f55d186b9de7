import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boxContains, boxesIntersect, boxOf, boxToE7 } from '../../shared/geo/box.ts';
import { coverQuery, type QueryCover } from '../../shared/geo/cells.ts';
import { decodeBoundary, encodeBoundary, fromE7, toE7, toUnits } from '../../shared/geo/geometry-codec.ts';
import type { Box, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { coversPoint, intersects, prepareQuery } from '../../shared/geo/intersects.ts';
import { pointOnSurface } from '../../shared/geo/point-on-surface.ts';
import type { QueryGeometry } from '../../shared/geo/query-geometry.ts';
import { findRingFault } from '../../shared/geo/ring-faults.ts';
import { exactlyCovers, exactlyIntersects } from '../support/exact-geometry.ts';
import { box } from '../support/rings.ts';
import { runs } from '../support/runs.ts';
import { windingNumber } from './geometry-shapes.ts';
import { pairs, shellAndHole } from './query-geometry-shapes.ts';

describe('intersects', () => {
  test('equals exact arithmetic, both ways around, for any elements that share corners, edges, and sides', () => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(pairs, ({ query, parcel }) => {
        const expected = exactlyIntersects(query, parcel);
        seen[`${expected}`]++;
        expect(intersects(prepareQuery(query), parcel)).toBe(expected);
        if (query.lines.length + query.points.length > 0 || query.polygons.length === 0) return;
        const turned = prepareQuery({ points: [], lines: [], polygons: parcel });
        expect(intersects(turned, query.polygons)).toBe(expected);
      }),
      { numRuns: runs(2000) },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(runs(100));
  });

  test('equals exact arithmetic for queries with more decimals than the grid', () => {
    const offset = fc.noBias(fc.integer({ min: -120_000, max: 120_000 }));
    const corner = fc.tuple(offset, offset).map(([x, y]): Position => [(1e9 + x) / 1e9, (-2e9 + y) / 1e9]);
    const triangle = fc.tuple(corner, corner, corner).map(([a, b, c]): Ring => [a, b, c, a]);
    fc.assert(
      fc.property(triangle, triangle, (shell, parcel) => {
        const grid = parcel.map(([lon, lat]): Position => [fromE7(toE7(lon)), fromE7(toE7(lat))]);
        const query = { points: [], lines: [], polygons: [[shell]] };
        expect(intersects(prepareQuery(query), [[grid]])).toBe(exactlyIntersects(query, [[grid]], 9));
      }),
      { numRuns: runs(1500) },
    );
  });

  test('a point is covered if exact arithmetic puts it inside or on the edge', () => {
    fc.assert(
      fc.property(pairs, ({ query, parcel }) => {
        const prepared = prepareQuery({ points: [], lines: [], polygons: query.polygons });
        for (const position of parcel.flat(2)) {
          const expected = query.polygons.some(polygon => exactlyCovers(polygon, position));
          expect(coversPoint(prepared, toUnits(position[0]), toUnits(position[1]))).toBe(expected);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the cover', () => {
  const maxCells = fc.integer({ min: 1, max: 100 });

  test('an inner location is a hit, and every other hit has an extent that touches an edge box', () => {
    const by = { inner: 0, edge: 0, none: 0 };
    fc.assert(
      fc.property(pairs, maxCells, ({ query, parcel }, cells) => {
        const { inner, edge } = coverQuery(prepareQuery(query), cells);
        for (const part of parcel) {
          const location = pointOnSurface([part]).map(toE7) as [number, number];
          const expected = exactlyIntersects(query, parcel);
          const extentE7 = boxToE7(boxOf(parcel));
          if (inner.some(cell => boxContains(cell, ...location))) {
            by.inner++;
            expect(expected).toBe(true);
          } else if (expected) {
            by.edge++;
            expect(edge.some(cell => boxesIntersect(cell, extentE7))).toBe(true);
          } else by.none++;
        }
      }),
      { numRuns: runs(1500) },
    );
    expect(Math.min(by.inner, by.edge, by.none)).toBeGreaterThan(runs(50));
  });

  test('an inner location is a hit for slivers thinner than the grid, whose location rounding moves off them', () => {
    const fraction = fc.double({ min: -3, max: 3, noNaN: true });
    const corner = fc.tuple(fraction, fraction);
    fc.assert(
      fc.property(fc.tuple(corner, corner, corner), maxCells, (corners, cells) => {
        const place = ([x, y]: [number, number]): Position => [10 + (x + 20) / 1e7, 10 + y / 1e7];
        const ring = [...corners, corners[0]].map(place);
        const location = pointOnSurface([[ring]]).map(toE7) as [number, number];
        const square = box(10, 10 - 2e-6, 10 + 4e-6, 10);
        const query = prepareQuery({ points: [], lines: [], polygons: [[square]] });
        const { inner } = coverQuery(query, cells);
        if (!inner.some(cell => boxContains(cell, ...location))) return;
        expect(intersects(query, decodeBoundary(encodeBoundary([[ring]])))).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('inner boxes contain only points of the query, and edge boxes touch everything that its outline passes through', () => {
    fc.assert(
      fc.property(pairs, maxCells, ({ query }, cells) => {
        const cover = coverQuery(prepareQuery(query), cells);
        expect(cover.edge.length).toBeLessThanOrEqual(cells);
        expectDisjoint(cover);
        for (const [w, s, e, n] of cover.inner) {
          for (const position of box(w, s, e, n).map(([x, y]): Position => [fromE7(x), fromE7(y)])) {
            expect(query.polygons.some(polygon => exactlyCovers(polygon, position))).toBe(true);
          }
        }
        for (const [x, y] of alongOutline(query)) {
          const around: Box = [Math.floor(x), Math.floor(y), Math.ceil(x), Math.ceil(y)];
          expect(cover.edge.some(cell => boxesIntersect(cell, around))).toBe(true);
        }
      }),
      { numRuns: runs(150) },
    );
  });

  function expectDisjoint({ inner }: QueryCover): void {
    for (const [i, a] of inner.entries()) {
      for (const b of inner.slice(i + 1)) expect(boxesIntersect(a, b)).toBe(false);
    }
  }

  /** Places every 20th along each path, in units. */
  function alongOutline({ points, lines, polygons }: QueryGeometry): [number, number][] {
    const places = points.map(([lon, lat]): [number, number] => [lon * 1e7, lat * 1e7]);
    for (const path of [...lines, ...polygons.flat()]) {
      for (const [i, [x2, y2]] of path.slice(1).entries()) {
        const [x1, y1] = path[i]!;
        for (let k = 0; k <= 20; k++) {
          places.push([(x1 + ((x2 - x1) * k) / 20) * 1e7, (y1 + ((y2 - y1) * k) / 20) * 1e7]);
        }
      }
    }
    return places;
  }
});

describe('ring faults', () => {
  test('a ring crosses or overlaps itself exactly if its pairs of edges or its winding numbers say so', () => {
    const at = fc.integer({ min: 0, max: 6 });
    const cell = fc.tuple(at, at);
    const triangles = fc.tuple(cell, cell, cell, cell, cell).map(([a, b, c, d, e]) => [a, b, c, a, d, e]);
    const corners = fc.oneof(fc.array(cell, { minLength: 3, maxLength: 7 }), triangles);
    const seen = { clean: 0, touching: 0, faulty: 0 };
    fc.assert(
      fc.property(corners, raw => {
        const path = raw.filter(([x, y], i) => x !== raw.at(i - 1)![0] || y !== raw.at(i - 1)![1]);
        if (path.length < 3) return;
        const cells = [...path, path[0]!];
        const fault = findRingFault([cells.map(([x, y]): Position => [fromE7(x), fromE7(y)])]);
        const touches = path.some(([x, y], i) => path.some((q, j) => j !== i && q[0] === x && q[1] === y));
        const faulty = overlapsItself(cells) || new Set(windings(cells)).size > 2;
        if (faulty) seen.faulty++;
        else if (touches) seen.touching++;
        else seen.clean++;
        expect(fault !== null).toBe(faulty);
      }),
      { numRuns: runs(700) },
    );
    expect(Math.min(seen.clean, seen.touching, seen.faulty)).toBeGreaterThan(runs(10));
  });

  /** Do two edges share more than a point? */
  function overlapsItself(ring: [number, number][]): boolean {
    const edges = ring.slice(1).map((to, i) => ({ from: ring[i]!, to }));
    return edges.some((a, i) =>
      edges.slice(i + 1).some(b => {
        const [dx, dy] = [a.to[0] - a.from[0], a.to[1] - a.from[1]];
        const along = (p: [number, number]) => (p[0] - a.from[0]) * dx + (p[1] - a.from[1]) * dy;
        const off = (p: [number, number]) => (p[0] - a.from[0]) * dy - (p[1] - a.from[1]) * dx;
        if (off(b.from) !== 0 || off(b.to) !== 0) return false;
        const [low, high] = [along(b.from), along(b.to)].sort((p, q) => p - q) as [number, number];
        return Math.min(high, along(a.to)) > Math.max(low, 0);
      }),
    );
  }

  /**
   * Winding numbers all around each corner and each crossing of edges, closer than any other edge
   * comes and at angles closer than any two edges make. A closed path that does not
   * cross itself winds around every point either 0 times or once, always the same way.
   */
  function windings(ring: [number, number][]): number[] {
    const places = [...ring];
    for (const [i, a2] of ring.slice(1).entries()) {
      const a1 = ring[i]!;
      for (const [j, b2] of ring.slice(1).entries()) {
        const b1 = ring[j]!;
        const { t, u } = meeting(a1, a2, b1, b2);
        if (t > 0 && t < 1 && u > 0 && u < 1) {
          places.push([a1[0] + t * (a2[0] - a1[0]), a1[1] + t * (a2[1] - a1[1])]);
        }
      }
    }
    return places.flatMap(([x, y]) =>
      Array.from({ length: 460 }, (_, k) => {
        const angle = (2 * Math.PI * (k + 0.123)) / 460;
        return windingNumber([x + 1e-4 * Math.cos(angle), y + 1e-4 * Math.sin(angle)], ring);
      }),
    );
  }

  test('a hole is accepted exactly if none of it is outside the shell, except for holes along the shell', () => {
    const seen = { within: 0, outside: 0, along: 0 };
    fc.assert(
      fc.property(shellAndHole, ([shell, hole]) => {
        const what = findRingFault([shell, hole])?.what;
        if (what === 'runs_along') {
          seen.along++;
          return;
        }
        // What is outside has some of its outline outside: the shell has no holes here.
        const outside = pieces(cells(hole), cells(shell)).some(
          place => windingNumber(place, cells(shell)) === 0,
        );
        seen[outside ? 'outside' : 'within']++;
        expect(what !== undefined).toBe(outside);
      }),
      { numRuns: runs(2000) },
    );
    expect(Math.min(seen.within, seen.outside, seen.along)).toBeGreaterThan(runs(4));
  });

  const cells = (ring: Ring) => ring.map(([lon, lat]): Position => [toE7(lon), toE7(lat)]);

  /** Midpoints of the pieces into which the edges of one ring are cut where they meet those of another. */
  function pieces(ring: Ring, other: Ring): Position[] {
    return ring.slice(1).flatMap((a2, i) => {
      const a1 = ring[i]!;
      const cuts = other.slice(1).map((b2, j) => meeting(a1, a2, other[j]!, b2).t);
      const at = [0, ...cuts.filter(t => t > 0 && t < 1).sort((t, u) => t - u), 1];
      const middles = at.slice(1).flatMap((t, k) => (t - at[k]! > 1e-9 ? [(t + at[k]!) / 2] : []));
      return middles.map((t): Position => [a1[0] + t * (a2[0] - a1[0]), a1[1] + t * (a2[1] - a1[1])]);
    });
  }

  /** Where two lines meet, as shares of the segments on them; not a number when they are parallel. */
  function meeting(a1: Position, a2: Position, b1: Position, b2: Position): { t: number; u: number } {
    const [ax, ay, bx, by] = [a2[0] - a1[0], a2[1] - a1[1], b2[0] - b1[0], b2[1] - b1[1]];
    const d = ax * by - ay * bx;
    if (d === 0) return { t: Number.NaN, u: Number.NaN };
    const t = ((b1[0] - a1[0]) * by - (b1[1] - a1[1]) * bx) / d;
    const u = ((b1[0] - a1[0]) * ay - (b1[1] - a1[1]) * ax) / d;
    return { t, u };
  }
});
