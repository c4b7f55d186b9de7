import { boxOfLine } from './box.ts';
import { fromE7, toE7 } from './geometry-codec.ts';
import type { MultiPolygon, Polygon, Position } from './geometry-types.ts';
import { pointInPolygon } from './point-in-polygon.ts';
import { planarArea } from './ring.ts';

/**
 * About a meter. The middle of an interval this wide stays inside when the boundary and the point are rounded
 * to 1e-7 degrees.
 */
const MIN_WIDTH_DEG = 1e-5;

/** In a band this high, the middle parallel meets no vertex after rounding to 1e-7 degrees. */
const MIN_BAND_DEG = 2e-7;

/**
 * A point inside the largest part, rounded to 1e-7 degrees. Like PostGIS ST_PointOnSurface, this is the
 * middle of the widest interval that the middle parallel has inside the part, or the first vertex if the part
 * is too thin. (@turf/point-on-feature returns a vertex if the centroid is outside.)
 */
export function pointOnSurface(polygons: MultiPolygon): Position {
  const polygon = largestPart(polygons);
  const middle = middleBand(polygon);
  const first = widestInterval(polygon, middle);
  const rounded = onGrid(first.point);
  if (first.width > MIN_WIDTH_DEG && middle.height > MIN_BAND_DEG && isInside(rounded, polygon))
    return rounded;

  const intervals = tallestBands(polygon)
    .map(band => widestInterval(polygon, band))
    .concat(first)
    .filter(interval => interval.width > 0)
    .sort((a, b) => b.clearance - a.clearance);
  for (const { point } of intervals) if (isInside(onGrid(point), polygon)) return onGrid(point);
  for (const { point } of intervals) if (isInside(point, polygon)) return point;
  const [lon, lat] = polygon[0]![0]!;
  return [lon, lat];
}

/** The middle and height, in degrees, of the band between two neighboring vertex latitudes. */
type Band = { lat: number; height: number };

/**
 * An interval of a parallel inside the polygon, in degrees: its middle, its width, and the smaller of its
 * width and the band's height.
 */
type Interval = { point: Position; width: number; clearance: number };

function largestPart(polygons: MultiPolygon): Polygon {
  if (polygons.length === 1) return polygons[0]!;
  const areas = polygons.map(polygon => planarArea([polygon]));
  return polygons[areas.indexOf(Math.max(...areas))]!;
}

/** The band at the middle of the extent. No vertex is on its middle parallel. */
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
 * Maximum number of parallels to try if the middle one fails, so that long rings don't take quadratic time.
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

/** The widest interval of a parallel inside the polygon. Its width is 0 if there is none. */
function widestInterval(polygon: Polygon, { lat, height }: Band): Interval {
  const crossings: number[] = [];
  for (const ring of polygon) {
    for (let i = 1; i < ring.length; i++) {
      const [x1, y1] = ring[i - 1]!;
      const [x2, y2] = ring[i]!;
      if (y1 > lat !== y2 > lat) crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  if (crossings.length > 2) crossings.sort((a, b) => a - b);
  const widest: Interval = { point: [Number.NaN, lat], width: 0, clearance: 0 };
  for (let i = 1; i < crossings.length; i += 2) {
    const width = Math.abs(crossings[i]! - crossings[i - 1]!);
    if (width > widest.width) {
      widest.width = width;
      widest.point[0] = (crossings[i]! + crossings[i - 1]!) / 2;
    }
  }
  widest.clearance = Math.min(widest.width, height);
  return widest;
}

const onGrid = ([lon, lat]: Position): Position => [fromE7(toE7(lon)), fromE7(toE7(lat))];
const isInside = (point: Position, polygon: Polygon): boolean => pointInPolygon(point, polygon) === 'inside';
