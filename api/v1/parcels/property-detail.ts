import { z } from 'zod';
import {
  COMPUTED_FIELDS,
  type FieldSpec,
  MAX_ACRES_RATIO,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
} from '../../../shared/domain/parcel-fields.ts';
import { countyOf } from '../../../shared/domain/property-id.ts';
import { decodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { parcelSummary, SUMMARY_COLUMNS, type SummaryRow, toSummary } from '../common/parcel-summary.ts';
import { parcelParams } from '../common/property-id-parameter.ts';
import { DETAIL_EXAMPLE, EXAMPLE_ID } from '../examples/examples.ts';

const TOKENS = 10;

const ROLL_FIELDS = PARCEL_FIELD_NAMES.filter(name => !(name in parcelSummary.shape));

function schemaOf({ type, doc, unit }: FieldSpec): z.ZodType {
  const description = `${doc}${unit === undefined ? '' : `, in ${unit}`}.`;
  switch (type) {
    case 'boolean':
      return z.boolean().nullable().describe(description);
    case 'integer':
    case 'money':
    case 'year':
      return z.int().nullable().describe(description);
    case 'number':
      return z.number().nullable().describe(description);
    case 'date':
      return z.iso.date().nullable().describe(description);
    default:
      return z.string().nullable().describe(description);
  }
}

/** The schemas of the fields that the summary does not have. */
const schemasOf = (fields: Readonly<Record<string, FieldSpec>>): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, spec]) =>
      name in parcelSummary.shape ? [] : [[name, schemaOf(spec)]],
    ),
  );

const { mean_slope_percent, min_elevation_m, mean_elevation_m, max_elevation_m, ...computed } =
  COMPUTED_FIELDS;

const ring = z.array(z.array(z.number()).length(2)).min(4);

const shape = z
  .union([
    z.object({ type: z.literal('Polygon'), coordinates: z.array(ring).min(1) }),
    z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(z.array(ring).min(1)).min(2) }),
  ])
  .nullable()
  .describe(
    'The boundary as GeoJSON in WGS84, exteriors counter-clockwise, holes clockwise (RFC 7946); null without geometry.',
  );

const parcelDetail = z
  .object({
    ...parcelSummary.shape,
    ...schemasOf(PARCEL_FIELDS),
    ...schemasOf(computed),
    steeper_percent: z
      .array(z.number())
      .length(11)
      .nullable()
      .describe(
        'Share of the area, in percent, that is steeper than each grade of slope_area_index: 0.5, 2.5, 5, 7.5, 10, 15, 20, 25, 30, 40 and 50 %.',
      ),
    ...schemasOf({ mean_slope_percent, min_elevation_m, mean_elevation_m, max_elevation_m }),
    retired_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'When the parcel left the roll; null while it is on it. A retired parcel is as the roll last had it; what is derived for filters and the land layers is null.',
      ),
    shape,
  })
  .meta({ id: 'ParcelDetail' });

/** The columns of `parcels p` for parcels/get_parcel, which has owner_occupied from elsewhere. */
const ROLL_COLUMNS = ROLL_FIELDS.filter(field => field !== 'owner_occupied')
  .map(field => `p.${field}`)
  .join(', ');

type DetailRow = SummaryRow & {
  boundary: Uint8Array | null;
  retired_at: Date | null;
  tax_delinquent: boolean | null;
  tax_delinquent_year: number | null;
  /** YYYY-MM-DD */
  last_sale_date: string | null;
  improvement_percent: number | null;
};

export const getProperty = defineEndpoint({
  ...parcelParams,
  path: '/api/public/v1/properties/{property_id}/',
  operationId: 'get_property',
  summary: 'All that is known of a parcel',
  description:
    'The summary of a parcel, every field that filters read, and its boundary. A parcel that has left the roll keeps its id and answers as the roll last had it, with `retired_at`.',
  metering: { key: 'public_property_detail', price: TOKENS, rule: '10 tokens; 0 on 404' },
  response: {
    status: 200,
    description: 'The parcel.',
    schema: parcelDetail,
    example: { summary: `Parcel ${EXAMPLE_ID} of the sample`, value: DETAIL_EXAMPLE },
  },
  errors: { not_found: 'No parcel has this id. Costs nothing.' },
  handle: async ({ params: { property_id } }, { database }, call) => {
    const [row] = await database.runComposed<DetailRow>(
      'parcels/get_parcel',
      { summary: SUMMARY_COLUMNS, roll: ROLL_COLUMNS },
      { fips: countyOf(property_id), property_id },
    );
    if (row === undefined) throw notFound(`There is no parcel ${property_id}.`);
    return { body: toDetail(row, call.appUrl, call.now), tokens: TOKENS };
  },
});

/** @param now the moment that months and years are counted to. */
function toDetail(row: DetailRow, appUrl: string, now: Date): object {
  const { lon_e7: _lon, lat_e7: _lat, boundary, ...known } = row;
  return {
    ...known,
    ...toSummary(row, appUrl),
    acres_mismatch: isMismatch(row.acres, row.calculated_acres),
    improvement_percent: row.improvement_percent === null ? null : round2(row.improvement_percent),
    tax_delinquent_years:
      row.tax_delinquent_year === null || row.tax_delinquent === false
        ? null
        : now.getUTCFullYear() - row.tax_delinquent_year,
    ownership_months: row.last_sale_date === null ? null : monthsSince(row.last_sale_date, now),
    retired_at: row.retired_at?.toISOString() ?? null,
    shape: boundary === null ? null : toGeoJson(boundary),
  };
}

function isMismatch(stated: number | null, measured: number | null): boolean | null {
  if (!stated || !measured) return null;
  return Math.max(stated / measured, measured / stated) > MAX_ACRES_RATIO;
}

/**
 * The most months that can be taken from today without passing the day: a month's end
 * counts as it does there.
 */
function monthsSince(day: string, now: Date): number {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const months = 12 * (now.getUTCFullYear() - year) + now.getUTCMonth() + 1 - month;
  return date > now.getUTCDate() ? months - 1 : months;
}

function toGeoJson(boundary: Uint8Array): object {
  const polygons = decodeBoundary(boundary);
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}
