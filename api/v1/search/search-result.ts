import { z } from 'zod';
import type { Box } from '../../../shared/geo/geometry-types.ts';

/** Kinds of answers. Places are lakes, hills and neighborhoods, where a layer of names is loaded. */
export const SEARCH_TYPES = [
  'address',
  'apn',
  'owner',
  'county',
  'town',
  'zip',
  'place',
  'property',
  'coordinates',
] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

export const searchResult = z
  .object({
    type: z.enum(SEARCH_TYPES),
    label: z.string().describe('What was found, as the roll or the gazetteer writes it.'),
    detail: z.string().describe('Where it is: the county of a parcel or an owner, the state of a town.'),
    fips: z
      .string()
      .optional()
      .meta({ description: '5-digit FIPS code of the county that it lies in.', example: '33019' }),
    zip: z.string().optional().describe('The ZIP; of a town where it has only one.'),
    zips: z.array(z.string()).optional().describe('All ZIPs of a town.'),
    property_id: z
      .int()
      .optional()
      .meta({ description: 'The parcel, of an address, a parcel number or an id.', example: 3301900000001 }),
    bbox: z
      .array(z.number())
      .length(4)
      .optional()
      .describe('Of a county, around its parcels where it has any: west, south, east, north in degrees.'),
    point: z
      .array(z.number())
      .length(2)
      .optional()
      .meta({ description: '[longitude, latitude] in WGS84.', example: [-72.1234567, 43.2345678] }),
  })
  .meta({ id: 'SearchResult' });

export type SearchResult = z.output<typeof searchResult>;

/** `score`: 0 to 1; of two the higher one is meant more likely. */
export type Match = { score: number; result: SearchResult };

export type Point = readonly [lon: number, lat: number];

/** A county with parcels; `apnShapes`: how their numbers are written, digits as 0 and letters as A. */
export type LoadedCounty = { fips: number; parcels: number; apnShapes: readonly string[]; box: Box | null };

/** How far a place is off, in degrees as long as those of latitude; of a box 0 for a place inside. */
export function distanceTo([lon, lat]: Point, [west, south, east, north]: Readonly<Box>): number {
  const x = Math.max(west - lon, 0, lon - east) * Math.cos((lat * Math.PI) / 180);
  return Math.hypot(x, Math.max(south - lat, 0, lat - north));
}
