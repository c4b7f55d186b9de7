import { z } from 'zod';
import { decodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import { UNBUILDABLE_REASONS } from '../../../shared/kernels/buildable.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import type { ChangedFields, ChangeType } from '../../../shared/model/changes.ts';
import {
  areAcresApart,
  COMPUTED_FIELDS,
  type FieldSpec,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
} from '../../../shared/model/parcel-fields.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { parcelOverlays, type StoredOverlays, showOverlays } from '../common/parcel-overlays.ts';
import { parcelSummary, SUMMARY_COLUMNS, type SummaryRow, toSummary } from '../common/parcel-summary.ts';
import { parcelParams } from '../common/property-id-parameter.ts';
import { queryFlag } from '../common/request-schemas.ts';
import { DETAIL_EXAMPLE, EXAMPLE_ID } from '../examples/examples.ts';

const ROLL_FIELDS = PARCEL_FIELD_NAMES.filter(name => !(name in parcelSummary.shape));

function schemaOf({ type, doc, unit, nullWhen = 'if unknown', values }: FieldSpec): z.ZodType {
  if (values !== undefined) return z.enum(values).describe(`${doc}.`);
  const known = `${doc}${unit === undefined ? '' : `, in ${unit}`}.`;
  const description = /\bnull\b/i.test(doc) ? known : `${known} Null ${nullWhen}.`;
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
    'Boundary as GeoJSON in WGS84, with exteriors counterclockwise and holes clockwise (RFC 7946). Null if the parcel has no boundary.',
  );

const timelineEntry = z
  .object({
    at: z.iso.datetime().describe('Time when Plat recorded the change.'),
    field: z
      .string()
      .describe(
        'Field that changed: a field of this response, `on_roll`, `boundary` (the shape changed), `mean_adjusted_price` of the estimate, or a field of a listing, such as `listing.status` or `listing.price`.',
      ),
    was: z.unknown().describe('Previous value. Null if it was unknown.'),
    is: z.unknown().describe('New value. Null if it is unknown.'),
  })
  .meta({ id: 'TimelineEntry' });

export type TimelineEntry = z.output<typeof timelineEntry>;

const MAX_CHANGES = 500;

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
        'Share of the area, in percent, that is steeper than each grade of `slope_area_index`: 0.5%, 2.5%, 5%, 7.5%, 10%, 15%, 20%, 25%, 30%, 40%, and 50%. Null if no elevation layer has slopes for at least half of the parcel.',
      ),
    unbuildable: z
      .array(z.object({ reason: z.enum(UNBUILDABLE_REASONS), acres: z.number() }))
      .nullable()
      .describe(
        'Acres that do not count as buildable, by reason. Each reason is measured on its own, so they can overlap. Water is included if a water layer covers the parcel. Null if `buildable_acres` is null.',
      ),
    buildable_missing: z
      .array(z.enum(['elevation', 'wetlands', 'flood']))
      .nullable()
      .describe(
        'Layers without which buildable land cannot be measured, such as `elevation` if more than 1% of the parcel has no slope. Empty if all are known. Null for a retired parcel.',
      ),
    ...schemasOf({ mean_slope_percent, min_elevation_m, mean_elevation_m, max_elevation_m }),
    overlays: parcelOverlays,
    retired_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'Time when the parcel left the roll. Null while it is on the roll. A retired parcel keeps its last values from the roll. Fields from land layers and those computed for filters are null.',
      ),
    shape,
    timeline: z
      .array(timelineEntry)
      .optional()
      .describe('With `timeline=true`: changes to the parcel in the last 400 days, newest first.'),
  })
  .meta({ id: 'ParcelDetail' });

/** The columns of `parcels p` for parcels/get_parcel, which reads owner_occupied from another table. */
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
  overlays: StoredOverlays | null;
};

export const getProperty = defineEndpoint({
  ...parcelParams,
  path: '/api/public/v1/properties/{property_id}/',
  operationId: 'get_property',
  summary: 'Get a parcel',
  description:
    'Returns every field of a parcel, with its boundary. A parcel that has left the roll keeps its id and its last values, and has a `retired_at`.\n\nA field is null if it is missing from the roll or the land layer.',
  query: z.strictObject({
    timeline: queryFlag('Add `timeline`, the changes to the parcel. No extra charge.'),
  }),
  metering: { key: 'public_property_detail', price: PRICES.parcel, note: 'free on 404' },
  response: {
    description: 'The parcel.',
    schema: parcelDetail,
    example: { summary: `Parcel ${EXAMPLE_ID} in the sample data`, value: DETAIL_EXAMPLE },
  },
  errors: { not_found: 'No parcel has this id. Free.' },
  handle: async ({ params: { property_id }, query: { timeline } }, { db }, call) => {
    const [row] = await db.run<DetailRow>(
      'parcels/get_parcel',
      { fips: countyOf(property_id), property_id },
      { summary: SUMMARY_COLUMNS, roll: ROLL_COLUMNS },
    );
    if (row === undefined) throw notFound(`No parcel has the id ${property_id}.`);
    const overlays = await showOverlays(db, row.overlays, row.calculated_acres ?? row.acres);
    const detail = { ...toDetail(row, call.appUrl, call.now), overlays };
    if (!timeline) return { body: detail, tokens: PRICES.parcel.tokens };
    const changes = await db.run<Change>('changes/read_timeline', {
      fips: countyOf(property_id),
      property_id,
      limit: MAX_CHANGES,
    });
    return { body: { ...detail, timeline: changes.flatMap(toEntries) }, tokens: PRICES.parcel.tokens };
  },
});

type Change = { at: Date; type: ChangeType; fields: ChangedFields };

/** The changed fields. The initial values of a parcel or listing are in its record, so they are omitted. */
function toEntries({ at, type, fields }: Change): TimelineEntry[] {
  const entry = (field: string, was: unknown, is: unknown) => ({ at: at.toISOString(), field, was, is });
  const differing = Object.entries(fields).filter(
    ([name, [was, is]]) => name !== 'row_version' && JSON.stringify(was) !== JSON.stringify(is),
  );
  switch (type) {
    case 'parcel.new':
      return [entry('on_roll', false, true)];
    case 'parcel.retired':
      return [entry('on_roll', true, false)];
    case 'parcel.returned':
      return [entry('on_roll', false, true), ...differing.map(([name, [was, is]]) => entry(name, was, is))];
    case 'listing.new':
      return ['status', 'price'].flatMap(name =>
        fields[name] ? [entry(`listing.${name}`, ...fields[name])] : [],
      );
    case 'listing.changed':
    case 'listing.gone':
      return differing.map(([name, [was, is]]) => entry(`listing.${name}`, was, is));
    default:
      return differing.map(([name, [was, is]]) => entry(name, was, is));
  }
}

/** @param now the time up to which months and years are counted */
function toDetail(row: DetailRow, appUrl: string, now: Date): object {
  const { lon_e7: _lon, lat_e7: _lat, boundary, ...known } = row;
  return {
    ...known,
    ...toSummary(row, appUrl),
    acres_mismatch: areAcresApart(row.acres, row.calculated_acres),
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

/** The largest number of months that can be counted back from today without going past the given day. */
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
