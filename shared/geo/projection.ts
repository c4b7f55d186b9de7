import { readFileSync } from 'node:fs';
import type { Geometry, Position } from 'geojson';
import proj4 from 'proj4';
import { PlatError } from '../platform/errors.ts';
import { type ToWgs84, unprojected } from './geometry-types.ts';

type TransformPosition = (position: Position) => Position;

/** Geographic systems within two meters of WGS84, which is the precision of the rolls. */
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
 * The transformation from a CRS to WGS84 longitude and latitude. All realizations of NAD83 are treated as
 * WGS84, from which they differ by one to two meters.
 * @param crs "EPSG:…" (WGS84, Web Mercator, UTM, and NAD83 with its state planes), an OGC URN, a proj string,
 * WKT as in a `.prj`, or PROJJSON
 * @throws PlatError `feed_crs` if the CRS is unknown, or if its datum can't be transformed (NAD27 needs
 * grids)
 */
export function toWgs84(crs: string, name: string): ToWgs84 {
  const { definition, wgs84Degrees } = resolveCrs(crs, name);
  if (wgs84Degrees) return unprojected;
  const { forward } = proj4(asProj4(definition), 'WGS84');
  const axes: TransformPosition = position => {
    const [longitude, latitude] = forward([position[0]!, position[1]!]);
    position[0] = longitude!;
    position[1] = latitude!;
    return position;
  };
  return geometry => transform(geometry, axes);
}

export type Crs = {
  /** For proj4. */
  definition: string;
  /** Whether coordinates are longitude and latitude in degrees, on a datum treated as WGS84. */
  wgs84Degrees: boolean;
  /** proj4's short name of the projection, such as 'longlat' or 'merc'. */
  projection: string;
  /** Whether the projection uses a sphere, as Web Mercator does. */
  spherical: boolean;
  metersPerUnit: number;
};

/** Resolves any name of a CRS. @throws PlatError `feed_crs` like `toWgs84` */
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

/** Normalizes spellings of a code to "EPSG:n" or "OGC:CRS84". Other text is returned trimmed. */
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
 * The definition of a code, from our table for NAD83 or else from proj4.
 * @throws PlatError `feed_crs` for a code on NAD27
 */
function definitionOf(code: string, name: string): string {
  if (code === 'ESRI:102100') return 'EPSG:3857';
  // Esri's codes have six digits, while EPSG's have fewer. Files often write Esri's codes as "EPSG:102003".
  const knownSystem = epsgCrs(code.replace(/^EPSG:(?=\d{6}$)/, 'ESRI:'));
  if (knownSystem?.definition === null) throw nad27Error(`${code} (${knownSystem.name})`, name);
  if (code === 'EPSG:4267') throw nad27Error(`${code} (NAD27)`, name);
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

/** proj4's PJD_NODATUM: an ellipsoid with no known relation to WGS84. */
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
      `${name}: the CRS "${shorten(crs)}" is unknown. Set "crs" in the feed to a proj string, WKT, or the EPSG code of WGS84, Web Mercator, a UTM zone, or a state plane on NAD83.`,
      cause,
    );
  }
  const { datum } = parsed;
  // For PROJJSON input, proj4 uses its three-parameter shift for NAD27, which isn't precise enough.
  if (
    (isJson(definition) || datum?.datum_type === NO_DATUM) &&
    Math.abs((datum?.a ?? WGS84_A) - WGS84_A) > 1
  ) {
    throw nad27Error(`"${shorten(crs)}"`, name);
  }
  return parsed;
}

/**
 * NAD27 is up to 100 m off NAD83 in the 48 states, and 200 m or more in Alaska. Only NADCON's grids can
 * convert it precisely enough.
 */
function nad27Error(crs: string, name: string): PlatError {
  return crsError(
    `${name}: the CRS ${crs} uses a datum such as NAD27, which can be converted to WGS84 only with grid files. Reproject the file to NAD83 or WGS84 first, with ogr2ogr or gdalwarp and -t_srs EPSG:4326.`,
  );
}

function isWgs84Degrees(parsed: Parsed): boolean {
  const geographic = parsed.projName === 'longlat' || parsed.projName === 'identity';
  return (
    geographic && !parsed.from_greenwich && (parsed.units === undefined || /^degrees?$/i.test(parsed.units))
  );
}

function transform(geometry: Geometry, axes: TransformPosition): Geometry {
  if (geometry.type === 'GeometryCollection') {
    for (const part of geometry.geometries) transform(part, axes);
  } else {
    transformAll(geometry.coordinates, axes);
  }
  return geometry;
}

type Nested = number[] | Nested[];

function transformAll(coordinates: Nested, axes: TransformPosition): void {
  if (typeof coordinates[0] === 'number') axes(coordinates as Position);
  else for (const inner of coordinates as Nested[]) transformAll(inner, axes);
}

type Projjson = {
  id?: { authority: string; code: string | number };
  components?: Projjson[];
  source_crs?: Projjson;
};

/**
 * Names of a PROJJSON CRS (https://proj.org/specifications/projjson.html) without its vertical part, in the
 * order to try them: its code if it has one, then the JSON.
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

/**
 * A projected system for the United States. `definition` is a proj string, or null if the system is on NAD27.
 */
type EpsgCrs = { name: string; definition: string | null };

let byCode: Map<string, EpsgCrs> | undefined;

/**
 * Finds the projected system on NAD83 or NAD27 with a code, such as "EPSG:2230" or "ESRI:102003"
 * (nad83/README.md).
 */
function epsgCrs(code: string): EpsgCrs | undefined {
  byCode ??= readCodes();
  return byCode.get(code);
}

/** Loaded when first needed, because most runs use none of these codes. */
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
