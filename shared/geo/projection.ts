import { readFileSync } from 'node:fs';
import type { Geometry, Position } from 'geojson';
import proj4 from 'proj4';
import { PlatError } from '../base/errors.ts';
import { type ToWgs84, unprojected } from './geometry-types.ts';

type Axes = (position: Position) => Position;

/** Geographic systems that equal WGS84 within the two meters that rolls are good to. */
const GEOGRAPHIC = new Set([
  'EPSG:4326',
  'EPSG:4269', // NAD83
  'EPSG:4152', // NAD83(HARN)
  'EPSG:4759', // NAD83(NSRS2007)
  'EPSG:6318', // NAD83(2011)
  'EPSG:6783', // NAD83(CORS96)
  'EPSG:8860', // NAD83(FBN)
  'EPSG:6322', // NAD83(PA11)
  'EPSG:6325', // NAD83(MA11)
  'EPSG:4979', // WGS84 with height
  'OGC:CRS84',
  'OGC:CRS83',
]);

/**
 * The transformation from a CRS to WGS84 longitude and latitude; NAD83 in all its realizations is taken as
 * WGS84 (they differ by one to two meters).
 * @param crs "EPSG:…" (WGS84, Web Mercator, UTM, and NAD83 with its state planes), an OGC URN, a proj string,
 * WKT as in a `.prj`, PROJJSON
 * @throws PlatError `feed_crs` when it is unknown, or its datum cannot be transformed (NAD27 needs grids)
 */
export function toWgs84(crs: string, name: string): ToWgs84 {
  const { definition, wgs84Degrees } = resolveCrs(crs, name);
  if (wgs84Degrees) return unprojected;
  const { forward } = proj4(asProj4(definition), 'WGS84');
  const axes: Axes = position => {
    const [longitude, latitude] = forward([position[0]!, position[1]!]);
    position[0] = longitude!;
    position[1] = latitude!;
    return position;
  };
  return geometry => transform(geometry, axes);
}

export type Crs = {
  /** As proj4 takes it. */
  definition: string;
  /** Longitude and latitude in degrees that count as WGS84. */
  wgs84Degrees: boolean;
  /** proj4's short name of the projection, as 'longlat' or 'merc'. */
  projection: string;
  /** Its sphere or ellipsoid is a sphere, as Web Mercator's. */
  spherical: boolean;
  /** Meters a unit of projected coordinates. */
  metersPerUnit: number;
};

/** What a CRS is, by any of its names. @throws PlatError `feed_crs` as `toWgs84` */
export function resolveCrs(crs: string, name: string): Crs {
  const code = crsCode(crs);
  const isGeographic = GEOGRAPHIC.has(code);
  const definition = isGeographic ? 'WGS84' : definitionOf(code, name);
  const parsed = parseCrs(definition, crs, name);
  return {
    definition,
    wgs84Degrees: isGeographic || isWgs84Degrees(parsed),
    projection: parsed.projName ?? '',
    spherical: parsed.sphere === true,
    metersPerUnit: parsed.to_meter ?? 1,
  };
}

/** "EPSG:n" and "OGC:CRS84" for the many ways to write them; anything else as it is. */
function crsCode(crs: string): string {
  const text = crs.trim();
  const urn =
    /^(?:urn:(?:x-)?ogc:def:crs:|https?:\/\/www\.opengis\.net\/def\/crs\/)(\w+)[:/][^:/]*[:/](\w+)$/i.exec(
      text,
    );
  const plain = /^(EPSG|OGC|ESRI):+(\w+)$/i.exec(text);
  const match = urn ?? plain;
  return match === null ? text : `${match[1]!.toUpperCase()}:${match[2]!.toUpperCase()}`;
}

/**
 * NAD83's systems come from the table; the others proj4 knows. @throws PlatError `feed_crs` for one on NAD27
 */
function definitionOf(code: string, name: string): string {
  if (code === 'ESRI:102100') return 'EPSG:3857';
  // EPSG gives out no code of six digits; Esri's are often written as if they were its.
  const knownSystem = epsgCrs(code.replace(/^EPSG:(?=\d{6}$)/, 'ESRI:'));
  if (knownSystem?.definition === null) throw onNad27(`${code} (${knownSystem.name})`, name);
  if (code === 'EPSG:4267') throw onNad27(`${code} (NAD27)`, name);
  return knownSystem?.definition ?? code;
}

type Parsed = {
  projName?: string;
  units?: string;
  to_meter?: number;
  sphere?: boolean;
  from_greenwich?: number;
  datum?: { datum_type?: number; a?: number };
};

/** proj4's PJD_NODATUM: an ellipsoid without a known relation to WGS84. */
const NO_DATUM = 5;
/** The major axis that GRS80 and WGS84 share, in meters. */
const WGS84_A = 6_378_137;

const isJson = (definition: string): boolean => definition.startsWith('{');
const asProj4 = (definition: string): string => (isJson(definition) ? JSON.parse(definition) : definition);

function parseCrs(definition: string, crs: string, name: string): Parsed {
  let parsed: Parsed;
  try {
    parsed = proj4.Proj(asProj4(definition)) as unknown as Parsed;
  } catch (cause) {
    throw crsError(
      `${name}: the CRS "${shorten(crs)}" is unknown. Declare "crs" in the feed as a proj string, WKT, or the EPSG code of WGS84, Web Mercator, a UTM zone or a state plane on NAD83.`,
      cause,
    );
  }
  const { datum } = parsed;
  // By PROJJSON's names proj4 finds the three parameters that it has for NAD27, which are not good enough.
  if (
    (isJson(definition) || datum?.datum_type === NO_DATUM) &&
    Math.abs((datum?.a ?? WGS84_A) - WGS84_A) > 1
  ) {
    throw onNad27(`"${shorten(crs)}"`, name);
  }
  return parsed;
}

/**
 * It lies up to 100 m from NAD83 in the 48 states, and 200 m and more in Alaska: no reading without NADCON's
 * grids is good enough.
 */
function onNad27(crs: string, name: string): PlatError {
  return crsError(
    `${name}: the CRS ${crs} stands on a datum (NAD27 or alike) that only grid files can move to WGS84. Reproject the file to NAD83 or WGS84 first, as with ogr2ogr or gdalwarp and -t_srs EPSG:4326.`,
  );
}

function isWgs84Degrees(parsed: Parsed): boolean {
  const geographic = parsed.projName === 'longlat' || parsed.projName === 'identity';
  return (
    geographic && !parsed.from_greenwich && (parsed.units === undefined || /^degrees?$/i.test(parsed.units))
  );
}

function transform(geometry: Geometry, axes: Axes): Geometry {
  if (geometry.type === 'GeometryCollection') {
    for (const part of geometry.geometries) transform(part, axes);
  } else {
    walk(geometry.coordinates, axes);
  }
  return geometry;
}

type Nested = number[] | Nested[];

function walk(coordinates: Nested, axes: Axes): void {
  if (typeof coordinates[0] === 'number') axes(coordinates as Position);
  else for (const inner of coordinates as Nested[]) walk(inner, axes);
}

type Projjson = {
  id?: { authority: string; code: string | number };
  components?: Projjson[];
  source_crs?: Projjson;
};

/**
 * How a CRS of https://proj.org/specifications/projjson.html is called, without its heights: by its code if
 * it has one, and as JSON.
 */
export function projjsonNames(crs: Projjson): string[] {
  const plane = crs.components?.[0] ?? crs.source_crs;
  if (plane) return projjsonNames(plane);
  return [...(crs.id ? [`${crs.id.authority}:${crs.id.code}`] : []), JSON.stringify(crs)];
}

function crsError(message: string, cause?: unknown): PlatError {
  return new PlatError('feed_crs', message, { status: 422, cause });
}

const shorten = (crs: string): string => (crs.length > 80 ? `${crs.slice(0, 80)}…` : crs);

/** A projected system of the United States; `definition` is a proj string, null where the datum is NAD27. */
type EpsgCrs = { name: string; definition: string | null };

let byCode: Map<string, EpsgCrs> | undefined;

/**
 * The projected system on NAD83 or NAD27 that has a code, "EPSG:2230" or "ESRI:102003"; undefined when none
 * has (nad83/README.md).
 */
function epsgCrs(code: string): EpsgCrs | undefined {
  byCode ??= readCodes();
  return byCode.get(code);
}

/** Read when a code is first asked for: most runs name none of these. */
function readCodes(): Map<string, EpsgCrs> {
  const byName = new Map<string, EpsgCrs>();
  const lines = readFileSync(new URL('./nad83/codes.csv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  for (const line of lines.slice(1)) {
    const [name, codes, definition] = line.split(';') as [string, string, string];
    const crs = { name, definition: definition === '' ? null : `${definition} +datum=NAD83 +no_defs` };
    for (const code of codes.split(' ')) byName.set(code, crs);
  }
  return byName;
}
