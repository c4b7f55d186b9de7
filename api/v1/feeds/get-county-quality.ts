import { z } from 'zod';
import {
  type ConfidenceOrder,
  confidenceRanks,
  LEAST_RANKED,
} from '../../../shared/feeds/confidence-order.ts';
import {
  type CountyRecord,
  LEAST_STUDIED,
  RECORD_YEARS,
  WHOLE,
} from '../../../shared/feeds/county-record.ts';
import { countFlaggedSales } from '../../../shared/feeds/flagged-sales.ts';
import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { utcDay } from '../../../shared/kernels/stats/calendar.ts';
import { NARROW_BUCKETS } from '../../../shared/model/buckets.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/model/parcel-fields.ts';
import { SALE_FLAG_NAMES, SALE_FLAGS } from '../../../shared/model/sale-flags.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { fips } from '../common/request-schemas.ts';
import { QUALITY_EXAMPLE } from '../examples/examples.ts';
import { type Coverage, noCompsNotice, readCoverage, sourceKind } from './get-coverage.ts';

const share = (description: string) =>
  z.number().min(0).max(1).nullable().describe(`${description} From 0 to 1.`);
const rows = z
  .object({
    read: z.int().min(0).describe('Rows in all files.'),
    rejected: z.int().min(0).describe('Rows that could not be used.'),
    reasons: z.record(z.string(), z.int()).describe('Number of rejected rows by reason.'),
  })
  .meta({ id: 'RowCounts' });
const filled = z
  .partialRecord(z.enum(PARCEL_FIELD_NAMES), z.number().min(0).max(1))
  .describe('For each field, the share of parcels that have it, from 0 to 1.');

const figure = (description: string) => z.number().nullable().describe(description);
const range = z.object({ low: z.number(), high: z.number() }).nullable();
const study = z
  .object({
    of: z
      .enum(['assessor', 'plat'])
      .describe(
        "Values compared with sale prices. `assessor`: the roll's land values, which can be based on the sale itself. `plat`: estimates from data before the quarter of the sale.",
      ),
    by: z
      .enum([...WHOLE, ...NARROW_BUCKETS])
      .describe('Sales in the study: `all`, `last_12_months`, or an acreage bucket.'),
    n: z
      .int()
      .describe(`Number of sales, without outliers. With fewer than ${LEAST_STUDIED}, the figures are null.`),
    outliers: z
      .int()
      .describe('Sales excluded by the IAAO rule: more than three interquartile ranges beyond a quartile.'),
    median_ratio: figure('Median ratio of value to price.'),
    cod: figure(
      'Coefficient of dispersion: average distance of the ratios from their median, in percent of the median.',
    ),
    prd: figure(
      'Price-related differential: mean ratio divided by price-weighted ratio. Above 1 if expensive land is undervalued.',
    ),
    prb: figure('Price-related bias: relative change of the ratio when the value doubles.'),
    mki: figure('Modified Kakwani index. Below 1 if expensive land is undervalued.'),
    vei: figure(
      'Vertical equity indicator, in percent. Below 0 if expensive land is undervalued. Null with fewer than 20 sales.',
    ),
    prb_by_chance: range.describe(
      'Range of the PRB that unbiased values with the same errors would show. A PRB outside this range indicates bias.',
    ),
    intervals: z
      .object({ median_ratio: range, cod: range, prd: range, prb: range, mki: range, vei: range })
      .describe('90% confidence interval for each figure, calculated by resampling.'),
  })
  .meta({ id: 'RatioStudy' });

const run = z
  .object({
    run_id: z.int().describe('Id of the run.'),
    feed: z.string().describe('Name of the feed.'),
    counties: z.int().describe('Number of counties in the feed. The figures cover all of them.'),
    status: z.enum(['merged', 'blocked']).describe('`blocked`: the gate stopped the run.'),
    finished_at: z.iso.datetime({ offset: true }).describe('Time when the run finished.'),
    rows,
    parcels: z.int().nullable().describe('Parcels in the run. Null when unknown.'),
    new: z.int().describe('New parcels.'),
    changed: z.int().describe('Changed parcels.'),
    retired: z.int().describe('Retired parcels.'),
    ids_kept: share('Share of the previous parcels that kept their id. Null for the first run.'),
    filled,
  })
  .meta({ id: 'QualityRun' });

const flagText = SALE_FLAG_NAMES.map(flag => `\`${flag}\`: ${SALE_FLAGS[flag].description}`).join(' ');
const sales = z
  .object({
    used: z
      .int()
      .nullable()
      .describe(
        "Number of the county's own sales that its latest valuation used. Null if the county has not been valued yet.",
      ),
    flagged: z
      .array(
        z.object({
          flag: z.enum(SALE_FLAG_NAMES).describe(flagText),
          used: z.boolean().describe('Whether the valuation uses these sales.'),
          sales: z.int().describe('Number of sales. Each sale has one flag.'),
        }),
      )
      .describe('Sales that the valuation does not use, and unusual sales that it does use, by reason.'),
  })
  .meta({ id: 'CountySales' });

const confidence = z
  .object({
    ranks: z
      .boolean()
      .nullable()
      .describe(
        'Whether estimates with a higher confidence score were closer to the price. True if `low` is above 0. Null if this has not been measured yet.',
      ),
    sales: z.int().nullable().describe('Number of past sales that were compared with their estimates.'),
    points: z
      .number()
      .nullable()
      .describe(
        `Share of estimates within 25% of the price in the half of the sales with higher confidence, minus the same share in the other half, in percentage points. Null if there are fewer than ${LEAST_RANKED} sales.`,
      ),
    low: z.number().nullable().describe('Low end of the 90% interval for `points`.'),
    high: z.number().nullable().describe('High end of the 90% interval for `points`.'),
  })
  .meta({ id: 'ConfidenceOrder' });

const quality = z
  .object({
    fips,
    name: z.string().describe('County name.'),
    state: z.string().describe('Two-letter state code.'),
    computed_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('Time when the shares and studies were computed. Null if they have not been computed yet.'),
    as_of: z.iso
      .date()
      .nullable()
      .describe(`End of the ${RECORD_YEARS}-year period of sales in the studies. Null if there are none.`),
    parcels: z.int().nullable().describe('Parcels on the roll. Null if they have not been counted yet.'),
    rows: rows
      .nullable()
      .describe('Total rows in the last merged run of each of its rolls. Null if there is none.'),
    filled,
    boundaries: share('Share of parcels with a boundary.'),
    acreage_agrees: share(
      'Among parcels with both stated and measured acreage, the share where the two are within a factor of 1.5.',
    ),
    acreage_compared: z.int().nullable().describe('Number of parcels with both.'),
    ids_kept: share(
      'Share of the parcels from before the last merge that kept their id. Null after the first merge.',
    ),
    sources: z.array(
      z.object({
        name: z.string().describe('Title of the source, or the name of its feed.'),
        kind: sourceKind,
        as_of: z.iso
          .date()
          .nullable()
          .describe(
            'Date of its version, or the date of the last change according to its publisher. Null if neither is known.',
          ),
        age_days: z.int().nullable().describe('Days since `as_of`. Null if `as_of` is null.'),
        merged_at: z.iso
          .datetime({ offset: true })
          .nullable()
          .describe('Time of the last merge. Null if it was never merged.'),
      }),
    ),
    no_comps: noCompsNotice,
    sales,
    ratio_studies: z
      .array(study)
      .describe("Ratio studies: the assessor's values, then Plat's, each for all sizes, then by size."),
    confidence,
    history: z.array(run).describe('Latest merged and blocked runs for its rolls, newest first.'),
  })
  .meta({ id: 'CountyQuality' });

export type CountyQuality = z.output<typeof quality>;
export type Study = z.output<typeof study>;

export const countyQuality = defineEndpoint({
  tag: 'Coverage',
  withoutContract: true,
  path: '/api/public/v1/coverage/{fips}/quality/',
  operationId: 'get_county_quality',
  summary: 'Get the data quality of a county',
  description:
    "Returns how complete a county's roll is, how well boundaries and acreages agree, how many ids were kept, how old each source is, which sales the valuation uses, and how close the assessor's and Plat's values are to past sales (ratio studies).",
  params: z.object({ fips }),
  response: {
    description: 'The data quality of the county. Unknown figures are null.',
    schema: quality,
    example: { summary: 'A county', value: QUALITY_EXAMPLE },
  },
  errors: { not_found: 'Plat has no data for this county. Free.' },
  handle: async ({ params }, { db }, { now }) => {
    const body = await readQuality(db, params.fips, now);
    if (body === undefined) throw notFound(`Plat has no data for county ${params.fips}.`);
    return { body, tokens: 0 };
  },
});

type Stored = {
  as_of: string | null;
  record: CountyRecord | null;
  computed_at: Date | null;
  history: StoredRun[] | null;
};
type StoredRun = Pick<CountyQuality['history'][number], 'run_id' | 'feed' | 'counties' | 'finished_at'> & {
  status: 'merged' | 'blocked';
  counts: Partial<RunCounts>;
};

const MAX_RUNS = 12;

export async function readQuality(db: Db, code: string, now: Date): Promise<CountyQuality | undefined> {
  const [[coverage], counted, [stored]] = await Promise.all([
    readCoverage(db, Number(code)),
    countFlaggedSales(db, Number(code)),
    db.run<Stored>('feeds/get_record', { fips: Number(code), runs: MAX_RUNS }),
  ]);
  if (coverage === undefined) return undefined;
  const { as_of, record, computed_at, history } = stored!;
  const runs = (history ?? []).map(describeRun);
  const last = lastMerges(history ?? []);
  const shareOf = (part: number) => shareOrNull(part, record?.parcels ?? 0);
  return {
    fips: code,
    name: coverage.name,
    state: coverage.state,
    computed_at: computed_at?.toISOString() ?? null,
    as_of,
    parcels: record?.parcels ?? null,
    rows: last.length === 0 ? null : addRows(last.map(({ counts }) => rowsOf(counts))),
    filled: record === null || record.parcels === 0 ? {} : sharesOf(record.filled, record.parcels),
    boundaries: record && shareOf(record.boundaries),
    acreage_agrees: record && shareOrNull(record.acreage_agrees, record.acreage_compared),
    acreage_compared: record?.acreage_compared ?? null,
    ids_kept: idsKept(last.map(({ counts }) => counts)),
    sources: coverage.sources.map(source => ageOf(source, now)),
    ...(coverage.no_comps && { no_comps: coverage.no_comps }),
    sales: {
      used: counted.used,
      flagged: counted.flagged.map(({ flag, sales: n }) => ({
        flag,
        used: SALE_FLAGS[flag].isUsed,
        sales: n,
      })),
    },
    ratio_studies: record?.ratio_studies ?? [],
    confidence: describeOrder(record?.confidence_order ?? null),
    history: runs,
  };
}

const NO_ORDER = { sales: null, points: null, low: null, high: null };

const describeOrder = (order: ConfidenceOrder | null): CountyQuality['confidence'] => ({
  ranks: confidenceRanks(order),
  ...(order ?? NO_ORDER),
});

const round4 = (value: number): number => Math.round(value * 1e4) / 1e4;
const shareOrNull = (part: number, whole: number): number | null =>
  whole === 0 ? null : round4(part / whole);

const sharesOf = (counts: Readonly<Record<string, number>>, whole: number) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, round4(count / whole)]));

const total = (counts: Readonly<Record<string, number>> = {}): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0);

function rowsOf({ read, rejected }: Partial<RunCounts>): z.output<typeof rows> {
  return { read: total(read), rejected: total(rejected), reasons: rejected ?? {} };
}

function addRows(all: readonly z.output<typeof rows>[]): z.output<typeof rows> {
  const reasons: Record<string, number> = {};
  for (const { reasons: own } of all)
    for (const [reason, count] of Object.entries(own)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    read: all.reduce((sum, { read }) => sum + read, 0),
    rejected: all.reduce((sum, { rejected }) => sum + rejected, 0),
    reasons,
  };
}

function lastMerges(history: readonly StoredRun[]): StoredRun[] {
  const merged = history.filter(({ status }) => status === 'merged');
  return [...new Map(merged.toReversed().map(one => [one.feed, one])).values()];
}

/**
 * The share of existing parcels that kept their ids through the runs. Null if there were no parcels before.
 */
function idsKept(all: readonly Partial<RunCounts>[]): number | null {
  let kept = 0;
  let gone = 0;
  for (const { changed = 0, unchanged = 0, retired = 0 } of all) {
    kept += changed + unchanged;
    gone += retired;
  }
  return shareOrNull(kept, kept + gone);
}

function describeRun({ counts, ...run }: StoredRun) {
  const { rows: parcels, new: added = 0, changed = 0, retired = 0, filled: full = {} } = counts;
  const used = Math.max(1, ...Object.values(full));
  // Restores the order of the fields, which jsonb doesn't keep. Other names are from boundary files.
  const fields = Object.fromEntries(
    PARCEL_FIELD_NAMES.flatMap(name => (name in full ? [[name, full[name]!]] : [])),
  );
  return {
    ...run,
    rows: rowsOf(counts),
    parcels: typeof parcels === 'number' ? parcels : null,
    new: added,
    changed,
    retired,
    ids_kept: idsKept([counts]),
    filled: sharesOf(fields, used),
  };
}

function ageOf({ kind, feed, title, edition, changed, merged_at }: Coverage['sources'][number], now: Date) {
  const day = edition ?? changed ?? null;
  return {
    name: title ?? feed,
    kind,
    as_of: day,
    age_days: day === null ? null : Math.max(0, utcDay(now.getTime()) - utcDay(Date.parse(day))),
    merged_at,
  };
}
