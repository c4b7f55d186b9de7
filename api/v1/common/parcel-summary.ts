import { z } from 'zod';
import {
  ASSEMBLAGE_COLUMN,
  ASSEMBLAGE_REASONS,
  type AssemblageRow,
  type ShownAssemblage,
  shownAssemblage,
} from '../../../shared/land/assemblage-columns.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { acresOf, effectiveAcres, measuredAcres } from '../../../shared/model/shown-acres.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { link } from '../../http/endpoint.ts';
import { pageOf } from '../../http/paging.ts';

const text = (description: string) => z.string().nullable().describe(`${description} Null if unknown.`);
const acreage = (description: string) => z.number().min(0).nullable().describe(description);

export const parcelSummary = z
  .object({
    property_id: z.int().meta({ description: 'Stable numeric id of the parcel.', example: 3301900000001 }),
    url: link.describe('URL of the parcel in the web app.'),
    apn: text("Assessor's parcel number."),
    fips: z
      .string()
      .regex(/^[0-9]{5}$/)
      .nullable()
      .meta({ description: '5-digit county FIPS code.', example: '33019' }),
    point: z
      .array(z.number())
      .length(2)
      .nullable()
      .meta({
        description:
          'A point on the parcel, [longitude, latitude] in WGS84. Null if the parcel has no geometry.',
        example: [-72.1234567, 43.2345678],
      }),
    acres: acreage("Assessor's acreage. Null if the roll doesn't state it."),
    calculated_acres: acreage(
      'Geodesic area of the boundary in acres, with two decimals. Null if the parcel has no boundary.',
    ),
    effective_acres: acreage(
      '`acres`, or `calculated_acres` if `acres` is null. Filters and sort orders use this value.',
    ),
    owner_name: text('Primary owner of record, as written on the roll.'),
    situs_address: text('Street address of the parcel.'),
    situs_city: text('City of the parcel.'),
    situs_state: text('Two-letter state code of the parcel.'),
    situs_zip: z
      .string()
      .regex(/^[0-9]{5}$/)
      .nullable()
      .describe('5-digit ZIP code of the parcel. Null if unknown.'),
    assemblage: z
      .object({
        id: z.int().describe('Smallest `property_id` of the assemblage.'),
        parcels: z.int().min(2).describe('Number of lots. Parcels with the same boundary count once.'),
        acres: z.number().describe('Total acres. Parcels with the same boundary count its land once.'),
        touching_parcels: z
          .int()
          .min(1)
          .describe('Number of lots that the parcel reaches in steps of up to 1 m, including itself.'),
        touching_acres: z.number().describe('Total acres of these lots.'),
      })
      .nullable()
      .meta({ id: 'Assemblage' })
      .describe(
        "The owner's lots around the parcel, in any county: those that it reaches in steps of up to 30 m, such as across a road. Parcels with the same mailing address have the same owner. Null if there is only one lot.",
      ),
    assemblage_reason: z
      .enum(ASSEMBLAGE_REASONS)
      .nullable()
      .describe(
        'Why Plat does not look for an assemblage. `owner_has_too_many_parcels`: more than 500 in the county. Null if it does.',
      ),
    row_version: z
      .int()
      .min(0)
      .describe(
        'Increases with every change to the parcel or its land figures. Changes to its estimate do not count.',
      ),
  })
  .meta({ id: 'ParcelSummary' });

export type ParcelSummary = z.output<typeof parcelSummary>;

export const parcelPage = pageOf('ParcelPage', parcelSummary);

/** The columns of `parcels p` for a summary. Replaces {{summary}} in statements. */
export const SUMMARY_COLUMNS = `p.property_id, p.fips, p.apn, p.location[0] as lon_e7, p.location[1] as lat_e7,
  p.acres, p.calculated_acres, p.owner_name, p.situs_address, p.situs_city, p.situs_state, p.situs_zip,
  p.row_version, ${ASSEMBLAGE_COLUMN}`;

/** Coordinates are in units of 1e-7 degrees. */
export type SummaryRow = Omit<
  ParcelSummary,
  'url' | 'fips' | 'point' | 'effective_acres' | keyof ShownAssemblage
> & {
  fips: number;
  lon_e7: number | null;
  lat_e7: number | null;
  assemblage: AssemblageRow;
};

export const parcelUrl = (appUrl: string, propertyId: number): string =>
  `${appUrl}/data?parcel=${propertyId}`;

/** @param appUrl base URL of the web app, without a trailing slash */
export function toSummary(row: SummaryRow, appUrl: string): ParcelSummary {
  return {
    property_id: row.property_id,
    url: parcelUrl(appUrl, row.property_id),
    apn: row.apn,
    fips: String(row.fips).padStart(5, '0'),
    point: row.lon_e7 === null || row.lat_e7 === null ? null : [row.lon_e7 / 1e7, row.lat_e7 / 1e7],
    acres: acresOf(row.acres),
    calculated_acres: measuredAcres(row.calculated_acres),
    effective_acres: effectiveAcres(row.acres, row.calculated_acres),
    owner_name: row.owner_name,
    situs_address: row.situs_address,
    situs_city: row.situs_city,
    situs_state: row.situs_state,
    situs_zip: row.situs_zip,
    ...shownAssemblage(row.assemblage),
    row_version: row.row_version,
  };
}

/** In one statement, reads parcels for lists, in the order of the ids. Omits ids that were never assigned. */
export async function readSummaries(db: Db, propertyIds: readonly number[]): Promise<SummaryRow[]> {
  if (propertyIds.length === 0) return [];
  const rows = await db.run<SummaryRow>(
    'parcels/read_summaries',
    { property_ids: propertyIds, counties: [...new Set(propertyIds.map(countyOf))] },
    { summary: SUMMARY_COLUMNS },
  );
  const byId = new Map(rows.map(row => [row.property_id, row]));
  return propertyIds.flatMap(id => byId.get(id) ?? []);
}
