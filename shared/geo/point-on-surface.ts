import { boxOfLine } from './box.ts';
import { fromE7, toE7 } from './geometry-codec.ts';
import type { MultiPolygon, Polygon, Position } from './geometry-types.ts';
import { pointInPolygon } from './point-in-polygon.ts';
import { planarArea } from './ring.ts';

/**
 * About a meter: the middle of a stretch this wide stays inside when the boundary, too, is
 * rounded to 1e-7 degrees.
 */
const AMPLE_DEG = 1e-5;

/** A band this high keeps a parallel in its middle off its vertices when both are rounded to 1e-7 degrees. */
const AMPLE_BAND_DEG = 2e-7;

/**
 * A point strictly inside the largest part, on the grid of 1e-7 degrees: the middle of the widest stretch
 * that the parallel midway has inside it, as PostGIS ST_PointOnSurface has it (@turf/point-on-feature takes a
 * vertex where the centroid is outside); one too thin for any gets its first vertex.
 */
export function pointOnSurface(polygons: MultiPolygon): Position {
  const polygon = largestPart(polygons);
  const middle = middleBand(polygon);
  const first = widestStretch(polygon, middle);
  const rounded = onGrid(first.point);
  if (first.width > AMPLE_DEG && middle.height > AMPLE_BAND_DEG && isInside(rounded, polygon)) return rounded;

  const stretches = tallestBands(polygon)
    .map(band => widestStretch(polygon, band))
    .concat(first)
    .filter(stretch => stretch.width > 0)
    .sort((a, b) => b.room - a.room);
  for (const { point } of stretches) if (isInside(onGrid(point), polygon)) return onGrid(point);
  for (const { point } of stretches) if (isInside(point, polygon)) return point;
  const [lon, lat] = polygon[0]![0]!;
  return [lon, lat];
}

/** The parallels between two neighboring vertex latitudes, by their middle; degrees. */
type Band = { lat: number; height: number };

/** Width along the parallel, and the lesser of it and the band's height; degrees. */
type Stretch = { point: Position; width: number; room: number };

function largestPart(polygons: MultiPolygon): Polygon {
  if (polygons.length === 1) return polygons[0]!;
  const areas = polygons.map(polygon => planarArea([polygon]));
  return polygons[areas.indexOf(Math.max(...areas))]!;
}

/** The band at the middle of the extent: no vertex lies on its parallel. */
function middleBand(polygon: Polygon): Band {
  const [, south, , north] = boxOfLine(polygon[0]!);
  const middle = (south + north) / 2;
  let below = south;
  let above = north;
  for (const ring of polygon) {
    for (const [, lat] of ring) {
      if (lat <= middle) {
        if (lat > below) below = lat;
      } else if (lat < above) above = lat;
    }
  }
  return { lat: (below + above) / 2, height: above - below };
}

/**
 * How many parallels are tried when the middle one fails: a sliver has few, and a long ring must
 * not cost its square.
 */
const MAX_BANDS = 32;

function tallestBands(polygon: Polygon): Band[] {
  const lats = Float64Array.from(polygon.flatMap(ring => ring.map(([, lat]) => lat))).sort();
  const bands: Band[] = [];
  for (let i = 1; i < lats.length; i++) {
    const height = lats[i]! - lats[i - 1]!;
    if (height > 0) bands.push({ lat: (lats[i]! + lats[i - 1]!) / 2, height });
  }
  bands.sort((a, b) => b.height - a.height);
  return bands.slice(0, MAX_BANDS);
}

/**
 * The middle of the widest stretch of a parallel inside the polygon; width in degrees, 0 when there is none.
 */
function widestStretch(polygon: Polygon, { lat, height }: Band): Stretch {
  const crossings: number[] = [];
  for (const ring of polygon) {
    for (let i = 1; i < ring.length; i++) {
      const [x1, y1] = ring[i - 1]!;
      const [x2, y2] = ring[i]!;
      if (y1 > lat !== y2 > lat) crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  if (crossings.length > 2) crossings.sort((a, b) => a - b);
  const widest: Stretch = { point: [Number.NaN, lat], width: 0, room: 0 };
  for (let i = 1; i < crossings.length; i += 2) {
    const width = Math.abs(crossings[i]! - crossings[i - 1]!);
    if (width > widest.width) {
      widest.width = width;
      widest.point[0] = (crossings[i]! + crossings[i - 1]!) / 2;
    }
  }
  widest.room = Math.min(widest.width, height);
  return widest;
}

const onGrid = ([lon, lat]: Position): Position => [fromE7(toE7(lon)), fromE7(toE7(lat))];
const isInside = (point: Position, polygon: Polygon): boolean => pointInPolygon(point, polygon) === 'inside';
