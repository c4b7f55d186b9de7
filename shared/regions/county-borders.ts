import Flatbush from 'flatbush';
import type { LineString } from 'geojson';
import { feature } from 'topojson-client';
import { boxOf } from '../geo/box.ts';
import type { Box, Position } from '../geo/geometry-types.ts';
import { readCountyTopology } from './counties.ts';

/** A line between two counties, or between a county and the sea or another country. */
export type CountyBorder = { fips: readonly number[]; line: Position[] };

let cached: { borders: CountyBorder[]; tree: Flatbush } | undefined;

/** An index of borders, built on first use. Each line appears once. */
function index(): NonNullable<typeof cached> {
  if (cached) return cached;
  const topology = readCountyTopology();
  const sides = new Map<number, number[]>();
  for (const county of topology.objects.counties.geometries) {
    if (!('arcs' in county)) continue;
    // A reversed line is encoded as the bitwise complement of its number.
    for (const at of (county.arcs as unknown[]).flat(3) as number[]) {
      const arc = at < 0 ? ~at : at;
      sides.set(arc, [...(sides.get(arc) ?? []), Number(county.id)]);
    }
  }
  const borders = [...sides].map(([arc, fips]) => {
    const { geometry } = feature(topology, { type: 'LineString', arcs: [arc] });
    return { fips, line: (geometry as LineString).coordinates as Position[] };
  });
  const tree = new Flatbush(borders.length);
  for (const { line } of borders) tree.add(...boxOf([[line]]));
  tree.finish();
  cached = { borders, tree };
  return cached;
}

export function bordersIntersecting([west, south, east, north]: Readonly<Box>): CountyBorder[] {
  const { borders, tree } = index();
  return tree.search(west, south, east, north).map(item => borders[item]!);
}
