import { boxOfGeometry } from '../../shared/geo/box.ts';
import { allCounties, fiveDigits } from '../../shared/regions/counties.ts';
import { nearestCounty } from '../../shared/regions/county-polygons.ts';
import { readZips } from '../../shared/regions/zip-file.ts';
import type { ParcelTarget } from '../feeds/parcel-targets.ts';
import type { Suggestions } from '../feeds/suggest/suggest-columns.ts';
import { parseNumber } from '../feeds/values/number-value.ts';
import { parseZip } from '../feeds/values/place-value.ts';
import type { SourceRow } from '../formats/row-batch.ts';

/** The county of a source, and why Plat chose it. `why` is null if the rows' locations are in the county. */
type CountyGuess = { fips: string; why: string | null };

const IN_COUNTY = 0.9;

/**
 * Guesses the county from the rows' shapes, or else from longitudes and latitudes. If the rows have no
 * locations, uses ZIP codes.
 */
export function guessCounty(rows: readonly SourceRow[], suggestions: Suggestions | null): CountyGuess | null {
  const hasShapes = rows.some(({ geometry }) => geometry !== null);
  const placed = hasShapes || suggestions === null ? rows : placedBy(suggestions, rows);
  const fips = countyOf(placed);
  if (fips !== null) return { fips, why: null };
  return hasShapes || placed.length > 0 || suggestions === null ? null : countyOfZips(suggestions, rows);
}

/** The county that nearly all rows are in. Null if unclear. */
function countyOf(rows: readonly SourceRow[]): string | null {
  const counties = new Map<number, number>();
  let placed = 0;
  for (const { geometry } of rows) {
    const box = boxOfGeometry(geometry);
    const fips = box && nearestCounty((box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
    if (fips == null) continue;
    placed++;
    counties.set(fips, (counties.get(fips) ?? 0) + 1);
  }
  const [most] = [...counties].sort((a, b) => b[1] - a[1]);
  return most && most[1] >= IN_COUNTY * placed ? fiveDigits(most[0]) : null;
}

function placedBy({ fields }: Suggestions, rows: readonly SourceRow[]): SourceRow[] {
  const [lon, lat] = (['longitude', 'latitude'] as const).map(
    field => fields.find(each => each.field === field)?.mapped?.columns[0],
  );
  if (lon === undefined || lat === undefined) return [];
  return rows.flatMap(row => {
    const at = [row.values[lon], row.values[lat]].map(parseNumber);
    if (!at.every(degrees => typeof degrees === 'number' && degrees !== 0)) return [];
    return [{ ...row, geometry: { type: 'Point', coordinates: at as number[] } }];
  });
}

/**
 * Fewer rows may be from a single town, and a town can have the ZIP code of a post office in the next county.
 */
const MIN_ROWS = 20;
const MIN_ZIPS = 3;

/** Uses the parcels' ZIPs or, if there are none, the owners'. At least nine in ten must be in one county. */
function countyOfZips({ fields }: Suggestions, rows: readonly SourceRow[]): CountyGuess | null {
  const mapped = (field: ParcelTarget) => fields.find(each => each.field === field)?.mapped;
  // Every row states its county.
  if (mapped('fips')) return null;
  for (const field of ['situs_zip', 'mail_zip'] as const) {
    const spec = mapped(field)?.spec;
    if (spec?.column === undefined || spec.part !== undefined) continue;
    const { column } = spec;
    const zips = rows.map(row => parseZip(row.values[column])).filter(zip => typeof zip === 'string');
    if (zips.length < MIN_ROWS) continue;
    return countyWithMost(zips);
  }
  return null;
}

function countyWithMost(zips: readonly string[]): CountyGuess | null {
  const wanted = new Set(zips);
  const countyOfZip = new Map(
    readZips().zips.flatMap(({ zip, fips }) => (wanted.has(zip) ? [[zip, fips] as const] : [])),
  );
  const counties = new Map<number, string[]>();
  for (const zip of zips) {
    const fips = countyOfZip.get(zip);
    if (fips === undefined) continue;
    const own = counties.get(fips) ?? [];
    counties.set(fips, own);
    own.push(zip);
  }
  const [most] = [...counties].sort((a, b) => b[1].length - a[1].length);
  if (most === undefined) return null;
  const [fips, own] = most;
  const isSure = own.length >= IN_COUNTY * zips.length && new Set(own).size >= MIN_ZIPS;
  if (!isSure || sharesZips(fips)) return null;
  return { fips: fiveDigits(fips), why: `${own.length} of ${zips.length} ZIP codes are in it` };
}

/**
 * County codes of 510 and above are independent cities, which share ZIP codes with the counties around them.
 */
const sharesZips = (fips: number): boolean =>
  allCounties().some(
    county => Math.floor(county.fips / 1000) === Math.floor(fips / 1000) && county.fips % 1000 >= 510,
  );
