import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Point } from '../../../shared/drawing/map-extent.ts';
import {
  boxArea,
  boxContains,
  boxesIntersect,
  boxOf,
  boxSql,
  boxToE7,
  padBox,
} from '../../../shared/geo/box.ts';
import { decodeBoundary, decodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon, Position } from '../../../shared/geo/geometry-types.ts';
import { pointOnSurface } from '../../../shared/geo/point-on-surface.ts';
import { PLACE_GROUPS } from '../../../shared/model/land-layers.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { listNamedFeatures } from '../../../shared/parcels/map-statements.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { allCounties } from '../../../shared/regions/counties.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import { STATES } from '../../../shared/regions/states.ts';
import { allTowns } from '../../../shared/regions/towns.ts';
import {
  boundsOf,
  encoded,
  type Feature,
  isInTile,
  middleOfBox,
  projector,
  pxE7,
  rings,
  type Tile,
  toUnits,
} from '../../tiles/tile-geometry.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';

/** `size`: the number of ZIP codes a town has. Larger towns are labeled first. */
type Place = { name: string; at: Position; size?: number };

/** Zoom levels at which names of each kind are shown. */
const SHOWN = { states: [2, 7], counties: [6, 11], towns: [8, 15] } as const;

let places: Record<keyof typeof SHOWN, Place[]> | undefined;

/** ISO 3166-1 codes for the countries and territories that have US counties. */
const WITH_COUNTIES = new Set(['840', '630', '850', '316', '580', '016']);

let abroad: { box: Box; polygons: MultiPolygon }[] | undefined;

/** Other countries, shown so that they don't look like sea. From Natural Earth at 1:50,000,000. */
function readAbroad(): NonNullable<typeof abroad> {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json');
  const topology: Topology<{ countries: GeometryCollection }> = JSON.parse(readFileSync(file, 'utf8'));
  return feature(topology, topology.objects.countries).features.flatMap(({ id, geometry }) => {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return [];
    if (WITH_COUNTIES.has(String(id))) return [];
    const polygons = (
      geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    ) as MultiPolygon;
    return polygons.map(polygon => ({ box: boxOf([polygon]), polygons: [polygon] }));
  });
}

/** Other countries, and the names of states, counties, towns, and local places. */
export async function makePlaceTile({ db }: Resources, tile: Tile): Promise<Buffer> {
  places ??= { states: stateNames(), counties: countyNames(), towns: townNames() };
  const project = projector(tile);
  const box = boundsOf(tile);
  abroad ??= readAbroad();
  const names = Object.entries(SHOWN).map(([kind, [from, to]]): [string, Feature[]] => [
    kind,
    tile.z < from || tile.z > to
      ? []
      : places![kind as keyof typeof SHOWN]
          .filter(({ at }) => boxContains(box, at[0], at[1]))
          .map(place => featureOf(place, project)),
  ]);
  const land = abroad
    .filter(part => boxesIntersect(part.box, box))
    .map(({ polygons }): Feature => ({ type: 3, geometry: rings(polygons, project, tile.z), tags: {} }));
  return encoded({
    ...Object.fromEntries(names),
    abroad: land.filter(({ geometry }) => geometry.length > 0),
    names: await localNames(db, tile),
  });
}

/** Lowest zoom levels at which water areas, and places of each kind, are named. */
const NAMED_WATER_FROM = 9;
const LOCAL_FROM = { water: 12, town: 11, land: 12 };
/** Maximum distance between a town's ZIP centroid and the same town's point in a place layer. */
const SAME_TOWN_DEG = 0.1;
/** Minimum width and height of a lake that gets a label. */
const NAMED_WATER_PX = 24;
/** If there were more names than this, they would overlap. */
const MOST_NAMES = 500;

/** Names of water and places. Each name appears only once, and is omitted if a town has the same name. */
async function localNames(db: Db, tile: Tile): Promise<Feature[]> {
  if (tile.z < NAMED_WATER_FROM) return [];
  const box = boundsOf(tile);
  const rows = await listNamedFeatures(db, {
    box: boxSql(boxToE7(box)),
    least_area: (NAMED_WATER_PX * pxE7(tile)) ** 2,
    limit: MOST_NAMES,
  });
  const around = padBox(box, SAME_TOWN_DEG);
  const towns = places!.towns.filter(({ at }) => boxContains(around, at[0], at[1]));
  const seen = new Set(towns.map(({ name }) => `town ${name}`));
  const project = projector(tile);
  return rows.flatMap(({ name: written, class: kind, isWater, geometry }): Feature[] => {
    const group = isWater ? 'water' : (PLACE_GROUPS.get(kind) ?? 'land');
    const name = titleCase(written);
    if ((!isWater && tile.z < LOCAL_FROM[group]) || seen.has(`${group} ${name}`)) return [];
    const at = isWater ? pointOnSurface(decodeBoundary(geometry)) : decodeLines(geometry)[0]![0]!;
    const px = project(at);
    if (!isInTile(px)) return [];
    seen.add(`${group} ${name}`);
    return [{ type: 1, geometry: [toUnits(px)], tags: { name, group } }];
  });
}

const featureOf = ({ name, at, size }: Place, project: (place: Position) => Point): Feature => ({
  type: 1,
  geometry: [toUnits(project(at))],
  tags: { name, ...(size !== undefined && { size }) },
});

const countyNames = (): Place[] =>
  allCounties().flatMap(({ fips, name }) => {
    const extent = countyExtent(fips);
    return extent === undefined ? [] : [{ name, at: middleOfBox(extent) }];
  });

/** State names, placed at the mean location of their counties, weighted by extent. */
function stateNames(): Place[] {
  return STATES.flatMap(({ fips, name }) => {
    const extents = allCounties()
      .filter(county => Math.floor(county.fips / 1_000) === fips)
      .map(county => countyExtent(county.fips))
      .filter(extent => extent !== undefined);
    const total = extents.reduce((sum, extent) => sum + boxArea(extent), 0);
    const mean = (axis: 0 | 1) =>
      extents.reduce((sum, extent) => sum + middleOfBox(extent)[axis] * boxArea(extent), 0) / total;
    return extents.length === 0 ? [] : [{ name, at: [mean(0), mean(1)] as Position }];
  });
}

const townNames = (): Place[] =>
  allTowns().map(({ name, lon, lat, zips }) => ({ name, at: [lon, lat], size: zips.length }));
