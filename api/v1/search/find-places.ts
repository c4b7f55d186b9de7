import { swapHint } from '../../../shared/geo/swap-hint.ts';
import { count } from '../../../shared/model/figures.ts';
import { type County, countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { plainWords } from '../../../shared/regions/county-names.ts';
import { countyExtent, nearestCounty } from '../../../shared/regions/county-polygons.ts';
import { matchCounties, splitState } from '../../../shared/regions/search-counties.ts';
import { allTowns, type Town, townsByPrefix } from '../../../shared/regions/towns.ts';
import type { LoadedCounty, Match, Point, SearchResult, SearchType } from './search-result.ts';

type Loaded = ReadonlyMap<number, LoadedCounty>;

/** The number of digits needed to search for ZIP codes. Fewer digits match half a state. */
const ZIP_BEGINNING = 3;
/** The score of a matching code, which is higher than any name's score. */
const CODE = 0.93;
/** Maximum number of results that only start with the text. */
const MAX_BEGINNINGS = 10;

/**
 * Counties, towns, ZIP codes, and coordinates that the text could refer to. Those with parcels rank higher.
 */
export function findPlaces(text: string, types: ReadonlySet<SearchType>, loaded: Loaded): Match[] {
  const point = types.has('coordinates') ? coordinatesOf(text) : undefined;
  if (point) return [coordinates(point)];
  const digits = /^\d{3,5}$/.test(text);
  return [
    ...(types.has('county') ? findCounties(text, loaded) : []),
    ...(types.has('town') && !digits ? findTowns(text, loaded) : []),
    ...(types.has('zip') && digits ? findZips(text, loaded) : []),
  ];
}

const COORDINATES = /^([+-]?\d{1,3}(?:\.\d+)?)°?\s*([NS]?)\s*[,;\s]\s*([+-]?\d{1,3}(?:\.\d+)?)°?\s*([EW]?)$/i;

/** Latitude, then longitude. The reverse order is accepted if only that order is in the United States. */
function coordinatesOf(text: string): Point | undefined {
  const [, first, south, second, west] = COORDINATES.exec(text) ?? [];
  if (first === undefined || second === undefined) return undefined;
  // "12 34" isn't a place.
  if (!/\./.test(first) && !/\./.test(second)) return undefined;
  const lat = south?.toUpperCase() === 'S' ? -Math.abs(Number(first)) : Number(first);
  const lon = west?.toUpperCase() === 'W' ? -Math.abs(Number(second)) : Number(second);
  const swapped = swapHint(lon, lat) !== undefined;
  const point: Point = swapped ? [lat, lon] : [lon, lat];
  return Math.abs(point[0]) <= 180 && Math.abs(point[1]) <= 90 ? point : undefined;
}

function coordinates([lon, lat]: Point): Match {
  const fips = nearestCounty(lon, lat);
  const result: SearchResult = {
    type: 'coordinates',
    label: `${lat}, ${lon}`,
    detail: fips === null ? 'Outside the United States' : countyText(fips),
    ...(fips !== null && { fips: fiveDigits(fips) }),
    point: [lon, lat],
  };
  return { score: 1, result };
}

function findCounties(text: string, loaded: Loaded): Match[] {
  const plain = plainWords(text);
  const { name } = splitState(plain);
  return matchCounties(text).map(county => {
    const isCode = /^\d+$/.test(plain);
    const isWhole = [name, plain].includes(plainWords(county.name));
    const score = isCode ? 0.97 : isWhole ? 0.9 : 0.6;
    return { score: ranked(score, county.fips, loaded), result: countyResult(county, loaded) };
  });
}

/** Except for codes, places without parcels rank below owners and streets in places with parcels. */
const ranked = (score: number, fips: number, loaded: Loaded): number =>
  loaded.has(fips) ? score + 0.05 : score > CODE ? score : score - 0.35;

function countyResult({ fips }: County, loaded: Loaded): SearchResult {
  const known = loaded.get(fips);
  const bbox = known?.box ?? countyExtent(fips);
  return {
    type: 'county',
    label: countyText(fips),
    detail: `County, ${parcelsIn(fips, loaded)}`,
    fips: fiveDigits(fips),
    ...(bbox && { bbox: [...bbox] }),
  };
}

function parcelsIn(fips: number, loaded: Loaded): string {
  const parcels = loaded.get(fips)?.parcels ?? 0;
  return parcels === 0 ? 'no parcels yet' : `${count(parcels)} parcel${parcels === 1 ? '' : 's'}`;
}

function findTowns(text: string, loaded: Loaded): Match[] {
  const { name, state } = splitState(plainWords(text));
  if (name === '') return [];
  const matches: Match[] = [];
  for (const town of townsByPrefix(name)) {
    if (state !== undefined && town.state !== state) continue;
    const score = town.words === name ? 0.89 : 0.58;
    matches.push({ score: ranked(score, town.fips, loaded), result: townResult(town) });
  }
  return best(matches);
}

const townResult = ({ name, state, fips, zips, lon, lat }: Town): SearchResult => ({
  type: 'town',
  label: `${name}, ${state}`,
  detail: `Town in ${countyText(fips)}`,
  fips: fiveDigits(fips),
  ...(zips.length === 1 && { zip: zips[0]! }),
  zips,
  point: [lon, lat],
});

function findZips(text: string, loaded: Loaded): Match[] {
  if (text.length < ZIP_BEGINNING) return [];
  return best(
    allTowns().flatMap(({ name, state, fips, zips, lon, lat }) =>
      zips
        .filter(zip => zip.startsWith(text))
        .map(zip => ({
          score: ranked(zip === text ? 0.94 : 0.5, fips, loaded),
          result: {
            type: 'zip' as const,
            label: zip,
            detail: `ZIP code in ${name}, ${state}`,
            fips: fiveDigits(fips),
            zip,
            point: [lon, lat],
          },
        })),
    ),
  );
}

const best = (matches: Match[]): Match[] =>
  matches
    .sort((a, b) => b.score - a.score || (a.result.label < b.result.label ? -1 : 1))
    .slice(0, MAX_BEGINNINGS);
