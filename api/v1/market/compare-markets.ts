import { z } from 'zod';
import { dayOf, monthEnds } from '../../../shared/kernels/stats/calendar.ts';
import { type FiguresRow, listFigures } from '../../../shared/market/market-statements.ts';
import { FIGURE_KEYS, type FigureKey } from '../../../shared/model/market-metrics.ts';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import { figureAt, packStats } from '../../../shared/model/stats-codec.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Answer, CallContext } from '../../http/endpoint.ts';
import { validationError } from '../../http/error-responses.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { COMPARE_EXAMPLE } from '../examples/examples.ts';
import {
  bucketParameter,
  bucketValues,
  figureKey,
  isoDate,
  placeOf,
  salesIn,
  USUAL_BUCKET,
  writeIndex,
} from './market-figures.ts';
import { requirePast, restatedOfDay } from './stats-of-day.ts';

const MAX_REGIONS = 25;

const body = z
  .strictObject({
    regions: z
      .array(
        z
          .string()
          .regex(/^(zip:|county:)?[0-9]{5}$/, 'must be a county FIPS code or a ZIP code, 5 digits')
          .describe(
            'County FIPS code or ZIP code. If a county and a ZIP code share a code, it means the county. Use `zip:33019` for the ZIP code.',
          ),
      )
      .min(1, 'must have at least one region')
      .max(MAX_REGIONS, `must have at most ${MAX_REGIONS} regions`),
    bucket: bucketParameter.optional(),
    keys: z.array(figureKey).min(1).optional().describe('Figures to return. Default: all.'),
    as_of: isoDate.optional().describe('A past date (UTC). Default: the current statistics.'),
  })
  .meta({
    id: 'MarketComparison',
    example: {
      regions: ['33019', 'zip:03280'],
      bucket: '2 acre-100 acre',
      keys: ['Median Sold PPA', 'median_ppa_change_12mo'],
    },
  });

const comparison = z
  .object({
    bucket: z.string(),
    regions: z
      .array(
        z.object({
          type: z.enum(['county', 'zip']),
          fips: z.string().nullable(),
          zip: z.string().nullable(),
          name: z.string(),
          state: z.string(),
          as_of: z.iso.date().nullable().describe('Date of the figures. Null if there are none.'),
          kind: z
            .enum(['recorded', 'restated'])
            .nullable()
            .describe(
              '`recorded` or `restated`, as in market history. Null for current statistics, or if there are no statistics.',
            ),
          n: z.int().min(0).describe('Number of sales in the bucket in the 12 months up to the date.'),
          keys: z
            .record(z.string(), z.number().nullable())
            .describe('The requested figures. A figure is null when it cannot be computed.'),
        }),
      )
      .describe(
        'Regions in the order of the request. If a region has no listings in the bucket, its figures are null.',
      ),
  })
  .meta({ id: 'MarketsCompared' });

type Request = z.output<typeof body>;

async function compare(
  { regions, bucket = USUAL_BUCKET, keys = [...FIGURE_KEYS], as_of: asOf }: Request,
  db: Db,
  now: Date,
): Promise<Answer> {
  if (asOf !== undefined) requirePast(asOf, now);
  const rows = await readRegions(regions, asOf, db);
  const compared = rows.map(row => {
    const values = row.figures && bucketValues(row.figures, bucket);
    const day = asOf ?? row.as_of;
    if (values && row.price_index && row.recorded === false) writeIndex(values, row.price_index, dayOf(day!));
    return {
      type: row.type,
      fips: row.type === 'county' ? row.code : null,
      zip: row.type === 'zip' ? row.code : null,
      name: row.name,
      state: row.state,
      as_of: row.figures && day,
      kind: row.figures && asOf !== undefined ? (row.recorded ? 'recorded' : 'restated') : null,
      n: values ? salesIn(values) : 0,
      keys: Object.fromEntries(keys.map((key: FigureKey) => [key, values && figureAt(values, placeOf(key))])),
      known: values !== null,
    };
  });
  const tokens = costOf(PRICES.comparison, compared.filter(({ known }) => known).length);
  return { body: { bucket, regions: compared.map(({ known: _, ...shown }) => shown) }, tokens };
}

async function readRegions(
  regions: readonly string[],
  asOf: string | undefined,
  db: Db,
): Promise<FiguresRow[]> {
  const codes = regions.map(region => region.slice(-5));
  const named = (type: string) => codes.map(code => ({ type, code }));
  const rows = await listFigures(db, [...named('county'), ...named('zip')], asOf);
  const byName = new Map(rows.map(row => [`${row.type}:${row.code}`, row]));
  const found = regions.map(region =>
    region.includes(':')
      ? byName.get(region)
      : (byName.get(`county:${region}`) ?? byName.get(`zip:${region}`)),
  );
  const unknown = regions.filter((_, i) => found[i] === undefined);
  if (unknown.length > 0)
    throw validationError({ regions: unknown.map(region => `No county or ZIP code ${region} exists.`) });
  const known = found as FiguresRow[];
  // Figures for month ends are stored, so there is nothing to compute.
  if (asOf === undefined || monthEnds(dayOf(asOf) + 1, 1)[0] === dayOf(asOf)) return known;
  return Promise.all(
    known.map(async row => {
      const stats = await restatedOfDay(db, row, asOf);
      return { ...row, figures: stats && packStats(stats) };
    }),
  );
}

export const compareMarkets = defineEndpoint({
  method: 'post',
  path: '/api/public/v1/markets-stats/compare/',
  operationId: 'compare_markets',
  reads: true,
  tag: 'Market statistics',
  summary: 'Compare markets',
  description: `Returns the same figures for one acreage bucket in up to ${MAX_REGIONS} counties and ZIP codes, as of today or a past date.`,
  body,
  metering: {
    key: 'public_market_compare',
    price: PRICES.comparison,
    note: 'free for a region without listings in the bucket',
    atMost: ({ body }) => costOf(PRICES.comparison, body.regions.length),
    quote: async ({ body }, { db }, call) => {
      const { tokens } = await compare(body, db, call.now);
      return { body: { tokens, at_most: tokens }, tokens: 0 };
    },
  },
  response: {
    description: 'The figures for each region.',
    schema: comparison,
    example: COMPARE_EXAMPLE,
  },
  handle: ({ body }, { db }: Resources, call: CallContext) => compare(body, db, call.now),
});
