import { z } from 'zod';
import type { Box } from '../../../shared/geo/geometry-types.ts';

/** Result types. Places are lakes, hills, and neighborhoods from layers with names. */
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
    type: z
      .enum(SEARCH_TYPES)
      .describe(
        'Type of the result. `place` is a lake, hill, or neighborhood. `property` is a parcel found by its id or by the reference on a letter.',
      ),
    label: z.string().describe('Name of the result, as written on the roll or in the gazetteer.'),
    detail: z.string().describe('Location of the result, such as the county of a parcel or owner.'),
    fips: z.string().optional().meta({ description: '5-digit FIPS code of its county.', example: '33019' }),
    zip: z.string().optional().describe('ZIP code. For a town, only if it has exactly one.'),
    zips: z.array(z.string()).optional().describe('All ZIP codes of a town.'),
    property_id: z.int().optional().meta({
      description: 'Id of the parcel, for types `address`, `apn`, and `property`.',
      example: 3301900000001,
    }),
    bbox: z
      .array(z.number())
      .length(4)
      .optional()
      .describe('Extent of a county, or of its parcels if it has any: west, south, east, north in degrees.'),
    point: z
      .array(z.number())
      .length(2)
      .optional()
      .meta({
        description: 'Location as [longitude, latitude] in WGS84.',
        example: [-72.1234567, 43.2345678],
      }),
  })
  .meta({ id: 'SearchResult' });

export type SearchResult = z.output<typeof searchResult>;

/** `score`: from 0 to 1. Higher means more likely. */
export type Match = { score: number; result: SearchResult };

export type Point = readonly [lon: number, lat: number];

/**
 * A county with parcels. `apnShapes`: the formats of its parcel numbers, with 0 for digits and A for letters.
 */
export type LoadedCounty = { fips: number; parcels: number; apnShapes: readonly string[]; box: Box | null };

/** Distance from a point to a box, in degrees of latitude. 0 if the point is inside the box. */
export function distanceTo([lon, lat]: Point, [west, south, east, north]: Readonly<Box>): number {
  const x = Math.max(west - lon, 0, lon - east) * Math.cos((lat * Math.PI) / 180);
  return Math.hypot(x, Math.max(south - lat, 0, lat - north));
}
