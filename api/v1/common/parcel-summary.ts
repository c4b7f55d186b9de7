import { z } from 'zod';
import { countyOf } from '../../../shared/model/property-id.ts';
import { acresOf } from '../../../shared/model/shown-acres.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { link } from '../../http/endpoint.ts';
import { pageOf } from '../../http/paging.ts';

const text = (description: string) => z.string().nullable().describe(description);
const acreage = (description: string) => z.number().min(0).nullable().describe(description);

export const parcelSummary = z
  .object({
    property_id: z
      .int()
      .meta({ description: 'Stable numeric identifier of the parcel.', example: 3301900000001 }),
    url: link.describe('The parcel in the web app.'),
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
        description: 'A point on the parcel, [longitude, latitude] in WGS84; null without geometry.',
        example: [-72.1234567, 43.2345678],
      }),
    acres: acreage('Acreage that the assessor states.'),
    calculated_acres: acreage('Geodesic area of the boundary, to two decimals; null without geometry.'),
    effective_acres: acreage(
      '`acres`, or `calculated_acres` where none is stated; filters and orders use it.',
    ),
    owner_name: text('Primary owner of record, as the assessor writes it.'),
    situs_address: text('Street address of the parcel.'),
    situs_city: text('City of the parcel.'),
    situs_state: text('Two-letter state code of the parcel.'),
    situs_zip: z
      .string()
      .regex(/^[0-9]{5}$/)
      .nullable()
      .describe('5-digit ZIP code of the parcel.'),
    row_version: z
      .int()
      .min(0)
      .describe(
        'Grows with each change of the parcel or of its land figures. Estimates have `model_version` instead.',
      ),
  })
  .meta({ id: 'ParcelSummary' });

export type ParcelSummary = z.output<typeof parcelSummary>;

export const parcelPage = pageOf('ParcelPage', parcelSummary);

/** The columns of `parcels p` that a summary is made of; stands for {{summary}} in statements. */
export const SUMMARY_COLUMNS = `p.property_id, p.fips, p.apn, p.location[0] as lon_e7, p.location[1] as lat_e7,
  p.acres, p.calculated_acres, p.owner_name, p.situs_address, p.situs_city, p.situs_state, p.situs_zip,
  p.row_version`;

/** Places in 1e-7 degrees. */
export type SummaryRow = Omit<ParcelSummary, 'url' | 'fips' | 'point' | 'effective_acres'> & {
  fips: number;
  lon_e7: number | null;
  lat_e7: number | null;
};

export const parcelUrl = (appUrl: string, propertyId: number): string =>
  `${appUrl}/data?parcel=${propertyId}`;

/** @param appUrl where the web app is, without a slash at its end. */
export function toSummary(row: SummaryRow, appUrl: string): ParcelSummary {
  const calculated = row.calculated_acres === null ? null : Math.round(row.calculated_acres * 100) / 100;
  return {
    property_id: row.property_id,
    url: parcelUrl(appUrl, row.property_id),
    apn: row.apn,
    fips: String(row.fips).padStart(5, '0'),
    point: row.lon_e7 === null || row.lat_e7 === null ? null : [row.lon_e7 / 1e7, row.lat_e7 / 1e7],
    acres: acresOf(row.acres),
    calculated_acres: calculated,
    effective_acres: acresOf(row.acres) ?? calculated,
    owner_name: row.owner_name,
    situs_address: row.situs_address,
    situs_city: row.situs_city,
    situs_state: row.situs_state,
    situs_zip: row.situs_zip,
    row_version: row.row_version,
  };
}

/** Parcels for lists, in the order of the ids, without those never given out. One statement. */
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
