import { z } from 'zod';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { swapHint } from '../../../shared/geo/swap-hint.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { line } from '../common/request-schemas.ts';
import { SEARCH_BOX_EXAMPLE } from '../examples/examples.ts';
import { findAddresses } from './find-addresses.ts';
import { findNames } from './find-names.ts';
import { findApns, findProperty } from './find-numbers.ts';
import { findOwners } from './find-owners.ts';
import { findPlaces } from './find-places.ts';
import { searchWords } from './find-words.ts';
import {
  distanceTo,
  type LoadedCounty,
  type Match,
  type Point,
  SEARCH_TYPES,
  type SearchResult,
  type SearchType,
  searchResult,
} from './search-result.ts';

const MIN_QUERY = 2;
const MAX_QUERY = 200;

/** `reserved`: for each of parcels, places, and owners, so that none crowds out the others. */
type Size = { total: number; reserved: number };
const SIZE: Size = { total: 10, reserved: 3 };

const types = z
  .string('must appear once, with values separated by commas')
  .transform(text => text.split(',').map(name => name.trim()))
  .pipe(
    z.array(z.enum(SEARCH_TYPES, `must be one or more of ${SEARCH_TYPES.join(', ')}, separated by commas`)),
  )
  .meta({
    description: `Only results of these types, separated by commas: ${SEARCH_TYPES.map(name => `\`${name}\``).join(', ')}.`,
    example: 'county,town',
    override: { type: 'string', items: undefined },
  });

const COORDINATE = /^[+-]?\d{1,3}(\.\d{1,15})?$/;

const near = z
  .string('must appear only once')
  .transform((text, context): Point => {
    const parts = text.split(',').map(part => part.trim());
    const [lon = Number.NaN, lat = Number.NaN] = parts.map(part =>
      COORDINATE.test(part) ? Number(part) : Number.NaN,
    );
    const isPlace = parts.length === 2 && Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
    const fault = isPlace
      ? swapHint(lon, lat)
      : 'must be longitude and latitude in degrees, separated by a comma';
    if (fault === undefined) return [lon, lat];
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  })
  .meta({
    description:
      "Longitude and latitude of the user's current view. Among equally good results, nearer ones come first.",
    example: '-72.1,43.18',
    override: { type: 'string' },
  });

const question = z.strictObject({
  q: line(MAX_QUERY, 'is required and must appear only once')
    .transform(text => text.trim())
    .refine(text => text.length >= MIN_QUERY, `must be at least ${MIN_QUERY} characters long`)
    .meta({ description: 'Search text.', example: '12 north main street' }),
  types: types.optional(),
  near: near.optional(),
});

export type Question = z.output<typeof question>;

export const search = defineEndpoint({
  path: '/api/public/v1/search/',
  operationId: 'search',
  tag: 'Search',
  summary: 'Search parcels, places, and owners',
  description:
    'Searches by street address, parcel number (with or without dashes and zeros), owner, county, town, ZIP code, lake, hill, neighborhood, FIPS code, property_id, reference on a letter, or latitude and longitude, in all counties that have parcels. The last word can be incomplete.\n\nFor a parcel found by its address or number, returns its label, id, and point. For a parcel found by its property_id or reference, returns only its id and county.',
  query: question,
  response: {
    description: 'Up to 10 results, best first. Empty if nothing matches.',
    schema: z.object({ results: z.array(searchResult) }).meta({ id: 'SearchResults' }),
    example: SEARCH_BOX_EXAMPLE,
  },
  handle: async ({ query }, { db }, { user }) => {
    const results = await searchAll(db, query, SIZE);
    // Signed-in users can open the parcel for free anyway.
    return { body: { results: user === undefined ? results.map(freeOf) : results }, tokens: 0 };
  },
});

/** The free part of a result. For a parcel: what the search text contained, its id, and its location. */
function freeOf(result: SearchResult): SearchResult {
  if (groupOf(result) !== 'parcels') return result;
  const { type, label, fips, zip, property_id, point } = result;
  const found = { type, detail: countyText(Number(fips)), ...(fips && { fips }), property_id };
  if (type === 'property') return { ...found, label: `Parcel ${property_id}` };
  return { ...found, label, ...(type === 'address' && zip && { zip }), ...(point && { point }) };
}

/** The best results, including the details of parcels, which aren't free for API clients. */
export async function searchAll(
  db: Db,
  { q: text, types: of, near: at }: Question,
  size: Size,
): Promise<SearchResult[]> {
  const wanted = new Set<SearchType>(of ?? SEARCH_TYPES);
  const loaded = await listCounties(db);
  const counties = [...loaded.values()].filter(({ parcels }) => parcels > 0);
  if (at) counties.sort((a, b) => distanceTo(at, a.box ?? FAR) - distanceTo(at, b.box ?? FAR));
  const words = searchWords(
    db,
    counties.map(({ fips }) => fips),
    at !== undefined,
  );
  const addresses = wanted.has('address') ? findAddresses(db, words, text, size.total) : [];
  const owners = async () => {
    if (!wanted.has('owner')) return [];
    // Few owner names start with a number, so owners are searched only if no address matches.
    if (HOUSE_NUMBER.test(text) && (await addresses).length > 0) return [];
    return findOwners(db, words, text, size.total);
  };
  const found = await Promise.all([
    findPlaces(text, wanted, loaded),
    wanted.has('place') ? findNames(db, text, loaded) : [],
    wanted.has('property') ? findProperty(db, text) : [],
    wanted.has('apn') ? findApns(db, text, counties, size.total) : [],
    addresses,
    owners(),
  ]);
  return pickBest(found.flat(), at, size);
}

const HOUSE_NUMBER = /^\d+\S* +\S/;

const FAR: Box = [180, 90, 180, 90];

async function listCounties(db: Db): Promise<Map<number, LoadedCounty>> {
  type Row = {
    fips: number;
    parcels: number;
    apn_shapes: string[];
    west: number | null;
    south: number;
    east: number;
    north: number;
  };
  const rows = await db.run<Row>('search/list_counties');
  return new Map(
    rows.map(({ fips, parcels, apn_shapes: apnShapes, west, south, east, north }) => {
      const box: Box | null = west === null ? null : [west, south, east, north];
      return [fips, { fips, parcels, apnShapes, box }] as const;
    }),
  );
}

const GROUPS: Readonly<Record<SearchType, 'parcels' | 'places' | 'owners'>> = {
  address: 'parcels',
  apn: 'parcels',
  property: 'parcels',
  county: 'places',
  town: 'places',
  zip: 'places',
  place: 'places',
  coordinates: 'places',
  owner: 'owners',
};

export const groupOf = ({ type }: SearchResult) => GROUPS[type];

/** Picks the best of each group, then the best overall, and sorts them by score. */
function pickBest(
  matches: readonly Match[],
  at: Point | undefined,
  { total, reserved: perGroup }: Size,
): SearchResult[] {
  const seen = new Set<number>();
  const sorted = matches
    .map(match => ({ ...match, distance: at === undefined ? 0 : distanceOf(match.result, at) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        a.distance - b.distance ||
        (a.result.label < b.result.label ? -1 : a.result.label > b.result.label ? 1 : 0) ||
        (a.result.property_id ?? 0) - (b.result.property_id ?? 0),
    )
    .map(({ result }) => result)
    // A parcel that is found by both its number and its address is one result.
    .filter(({ property_id: id }) => id === undefined || (!seen.has(id) && seen.add(id)));
  const counts = new Map<string, number>();
  const reserved = sorted.filter(result => {
    const count = (counts.get(groupOf(result)) ?? 0) + 1;
    counts.set(groupOf(result), count);
    return count <= perGroup;
  });
  const picked = new Set(
    [...reserved, ...sorted.filter(result => !reserved.includes(result))].slice(0, total),
  );
  return sorted.filter(result => picked.has(result));
}

function distanceOf({ point, fips }: SearchResult, at: Point): number {
  const [lon, lat] = point ?? [];
  if (lon !== undefined && lat !== undefined) return distanceTo(at, [lon, lat, lon, lat]);
  return distanceTo(at, (fips && countyExtent(Number(fips))) || FAR);
}
