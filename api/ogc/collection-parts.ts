import type { Geometry } from 'geojson';
import type { z } from 'zod';
import { boxOfGeometry } from '../../shared/geo/box.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { intersects, prepareQuery } from '../../shared/geo/intersects.ts';
import type { CallContext } from '../http/endpoint.ts';
import type { Page, PageResult } from '../http/paging.ts';
import type { Resources } from '../v1/common/endpoint-resources.ts';
import type { Condition } from './cql-text.ts';
import type { Days } from './items-query.ts';

export type Feature = {
  type: 'Feature';
  id: string | number;
  geometry: Exclude<Geometry, { type: 'GeometryCollection' }> | null;
  properties: object;
};

export type ItemsRequest = {
  /** Absent if the whole collection is requested, and empty if nothing can match. */
  boxes?: readonly Box[] | undefined;
  days?: Days | undefined;
  conditions: readonly Condition[];
  page: Page;
};

/** A property that `filter` can name. */
export type Queryable = {
  title: string;
  type: 'string' | 'number' | 'integer' | 'boolean';
  format?: string;
  description?: string;
};

/** What `/ogc` serves under one name. The prices, limits, and links are the same for all. */
export type Collection = {
  title: string;
  description: string;
  queryables: Readonly<Record<string, Queryable>>;
  /** The schema of a feature's properties. */
  properties: z.ZodObject;
  list(request: ItemsRequest, resources: Resources, call: CallContext): Promise<PageResult<Feature>>;
  /** Undefined if no feature has this id. */
  find(id: string, resources: Resources, call: CallContext): Promise<Feature | undefined>;
};

/** A page without features, for a `bbox` that can't contain any. */
export const NO_FEATURES: PageResult<Feature> = { count: 0, next: null, previous: null, rows: [] };

const ringOf = ([west, south, east, north]: Readonly<Box>): Ring => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

export const areaOf = (boxes: readonly Box[]): MultiPolygon => boxes.map(box => [ringOf(box)]);

export function areaGeometry(bytes: Uint8Array): Feature['geometry'] {
  const polygons = decodeBoundary(bytes);
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}

export const pointGeometry = (lonE7: number | null, latE7: number | null): Feature['geometry'] =>
  lonE7 === null || latE7 === null ? null : { type: 'Point', coordinates: [lonE7 / 1e7, latE7 / 1e7] };

/** A page that has only the feature being looked up. Its links aren't used. */
export const pageOfOne = (asOf: Date): Page => ({
  size: 1,
  number: 1,
  offset: 0,
  asOf,
  link: () => '',
});

/** Whether a feature shares a point with any of the boxes. Touching counts. */
export function meets({ geometry }: Feature, boxes: readonly Box[]): boolean {
  const own = boxOfGeometry(geometry);
  if (own === null) return false;
  return boxes.some(box => contains(box, own) || sharesPoint(geometry, box));
}

const contains = ([west, south, east, north]: Box, other: Box): boolean =>
  west <= other[0] && south <= other[1] && other[2] <= east && other[3] <= north;

function sharesPoint(geometry: Feature['geometry'], box: Box): boolean {
  const lines: Position[][] = [];
  const polygons: MultiPolygon = [];
  const points: Position[] = [];
  if (geometry?.type === 'Point') points.push(geometry.coordinates as Position);
  if (geometry?.type === 'MultiPoint') points.push(...(geometry.coordinates as Position[]));
  if (geometry?.type === 'LineString') lines.push(geometry.coordinates as Position[]);
  if (geometry?.type === 'MultiLineString') lines.push(...(geometry.coordinates as Position[][]));
  if (geometry?.type === 'Polygon') polygons.push(geometry.coordinates as MultiPolygon[number]);
  if (geometry?.type === 'MultiPolygon') polygons.push(...(geometry.coordinates as MultiPolygon));
  return intersects(prepareQuery({ points, lines, polygons }), areaOf([box]));
}
