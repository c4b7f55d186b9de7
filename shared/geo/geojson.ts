import {
  addPolygon,
  type Builder,
  endRing,
  type ParsedQuery,
  parsed,
  position,
  type QueryLimits,
  refuse,
} from './query-geometry.ts';
import type { Position, Ring } from './types.ts';

/**
 * Reads a GeoJSON Polygon or MultiPolygon (RFC 7946), already parsed from JSON, with the checks and messages of `parseWkt`; what a
 * position has after longitude and latitude is dropped. Any winding will do. Faults name the polygon, ring and vertex (from 1).
 */
export function parseGeoJsonArea(value: unknown, limits: QueryLimits): ParsedQuery {
  return parsed(limits, builder => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      refuse('syntax', 'a GeoJSON object of type Polygon or MultiPolygon is due');
    }
    const { type, coordinates } = value as { type?: unknown; coordinates?: unknown };
    if (type === 'Polygon') readPolygon(builder, coordinates, 'coordinates');
    else if (type === 'MultiPolygon') {
      for (const [i, polygon] of array(coordinates, 'coordinates').entries()) {
        readPolygon(builder, polygon, `coordinates[${i}]`);
      }
    } else
      refuse('syntax', `the type is ${JSON.stringify(type)?.slice(0, 40)}; Polygon or MultiPolygon is due`);
  });
}

function readPolygon(builder: Builder, value: unknown, path: string): void {
  const number = builder.geometry.polygons.length + 1;
  const rings: Ring[] = [];
  const places: string[] = [];
  for (const [r, raw] of array(value, path).entries()) {
    const place = `polygon ${number}, ring ${r + 1}`;
    const ring: Ring = [];
    for (const [v, at] of array(raw, `${path}[${r}]`).entries()) {
      ring.push(readPosition(builder, at, () => `${place}, vertex ${v + 1} (${path}[${r}][${v}])`));
    }
    if (ring.length === 0) refuse('ring', `${place} is empty`);
    endRing(builder, ring, place);
    rings.push(ring);
    places.push(place);
  }
  if (rings.length > 0) addPolygon(builder, rings, places);
}

function readPosition(builder: Builder, value: unknown, place: () => string): Position {
  if (!Array.isArray(value) || value.length < 2) refuse('syntax', `${place()} is not [longitude, latitude]`);
  const [lon, lat] = value as unknown[];
  if (typeof lon !== 'number' || typeof lat !== 'number') refuse('syntax', `${place()} is not of numbers`);
  return position(builder, lon, lat, place);
}

function array(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) refuse('syntax', `${path} is not an array`);
  return value;
}
