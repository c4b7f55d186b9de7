import type { GeoTIFFImage } from 'geotiff';
import { PlatError } from '../platform/errors.ts';
import { formatError } from '../platform/http/download-context.ts';

export type VerticalUnit = 'metres' | 'feet' | 'us_survey_feet';

/** Meters per unit. The survey foot is 1200/3937 m (NIST SP 811, appendix B.6). */
export const METERS_PER_VERTICAL_UNIT: Record<VerticalUnit, number> = {
  metres: 1,
  feet: 0.3048,
  us_survey_feet: 1200 / 3937,
};

/** Units by their EPSG codes. */
const UNIT_CODES: Record<number, VerticalUnit> = { 9001: 'metres', 9002: 'feet', 9003: 'us_survey_feet' };

/**
 * Units by the EPSG code of the vertical CRS (epsg.io). The codes that GeoTIFF 1.0 itself defines (6.3.4.1)
 * name a datum without a unit. Without VerticalUnitsGeoKey, only the codes for ellipsoidal heights are
 * accepted, because those heights are in meters.
 */
const VERTICAL_CRS: Record<number, VerticalUnit> = {
  // NAVD88 height; (ftUS); (ft)
  5703: 'metres',
  6360: 'us_survey_feet',
  8228: 'feet',
  // NGVD29 height (m); (ftUS)
  7968: 'metres',
  5702: 'us_survey_feet',
  // MSL height; (ft); (ftUS)
  5714: 'metres',
  8050: 'feet',
  8052: 'us_survey_feet',
  // EGM84, EGM96 and EGM2008 height
  5798: 'metres',
  5773: 'metres',
  3855: 'metres',
  // WGS 84 with ellipsoidal height; GeoTIFF 1.0's ellipsoids GRS 1980 and WGS 84
  4979: 'metres',
  5019: 'metres',
  5030: 'metres',
};

/** GDAL's names for a band's unit. */
const UNIT_NAMES: [RegExp, VerticalUnit][] = [
  [/^(m|met(re|er)s?)$/, 'metres'],
  [/^(ft|foot|feet)$/, 'feet'],
  [/^(us-ft|us survey foot|us_survey_feet)$/, 'us_survey_feet'],
];

/** The GeoTIFF code for "user-defined", which means that other keys have the definition. */
const USER_DEFINED = 32767;

export type GeoKeys = Partial<Record<string, unknown>>;

/** @throws PlatError `feed_format` if the keys are damaged */
export function geoKeysOf(image: GeoTIFFImage, name: string): GeoKeys {
  try {
    return image.getGeoKeys() ?? {};
  } catch (cause) {
    throw formatError(`${name} has unreadable GeoTIFF keys. Write it again with gdal_translate.`, cause);
  }
}

// We don't use geotiff-geokeys-to-proj4, because it would save only ten lines and doesn't read vertical
// units.

/** The CRS as "EPSG:n". @throws PlatError `feed_crs` if the keys don't name one */
export function crsOfKeys(keys: GeoKeys, name: string): string {
  const code = keys.ProjectedCSTypeGeoKey ?? keys.GeographicTypeGeoKey;
  if (typeof code === 'number' && code > 0 && code !== USER_DEFINED) return `EPSG:${code}`;
  const why = code === USER_DEFINED ? 'has a custom CRS without an EPSG code' : 'has no CRS';
  throw new PlatError('feed_crs', `${name} ${why}. Set crs in the feed.`, { status: 422 });
}

/**
 * The unit of heights, from VerticalUnitsGeoKey, the vertical CRS, or GDAL's unit for the band; null if the
 * file has none of these, like most files. @throws PlatError `feed_format` if the unit isn't supported
 */
export function verticalUnitOf(
  keys: GeoKeys,
  bandUnit: string | undefined,
  name: string,
): VerticalUnit | null {
  const code = keys.VerticalUnitsGeoKey;
  if (typeof code === 'number' && code > 0 && code !== USER_DEFINED) {
    return UNIT_CODES[code] ?? unknownUnit(`EPSG:${code}`, name);
  }
  const crs = keys.VerticalCSTypeGeoKey;
  if (typeof crs === 'number' && VERTICAL_CRS[crs] !== undefined) return VERTICAL_CRS[crs];
  const band = bandUnit?.trim().toLowerCase() ?? '';
  if (band !== '')
    return UNIT_NAMES.find(([names]) => names.test(band))?.[1] ?? unknownUnit(`"${bandUnit}"`, name);
  if (typeof crs === 'number' && crs > 0) unknownCrs(crs, name);
  return null;
}

function unknownUnit(unit: string, name: string): never {
  throw formatError(
    `${name} has elevations in the unknown unit ${unit}. Set elevation.vertical_unit to metres, feet, or us_survey_feet.`,
  );
}

function unknownCrs(code: number, name: string): never {
  const crs = code === USER_DEFINED ? 'of its own' : `EPSG:${code}, which Plat doesn't know,`;
  throw formatError(
    `${name} has elevations in a vertical CRS ${crs} without a unit. Set elevation.vertical_unit to metres, feet, or us_survey_feet.`,
  );
}
