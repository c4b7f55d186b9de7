import { z } from 'zod';
import {
  type CountyRecord,
  LEAST_STUDIED,
  RECORD_YEARS,
  WHOLE,
} from '../../../shared/feeds/county-record.ts';
import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import { utcDay } from '../../../shared/kernels/stats/calendar.ts';
import { NARROW_BUCKETS } from '../../../shared/model/buckets.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/model/parcel-fields.ts';
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
    read: z.int().min(0).describe('Rows of all files.'),
    rejected: z.int().min(0).describe('Rows that could not be used.'),
    reasons: z.record(z.string(), z.int()).describe('How many rows were rejected, by reason.'),
  })
  .meta({ id: 'RowCounts' });
const filled = z
  .partialRecord(z.enum(PARCEL_FIELD_NAMES), z.number().min(0).max(1))
  .describe('Share of the parcels that have a field, from 0 to 1.');

const figure = (description: string) => z.number().nullable().describe(description);
const range = z.object({ low: z.number(), high: z.number() }).nullable();
const study = z
  .object({
    of: z
      .enum(['assessor', 'plat'])
      .describe(
        "Whose values: `assessor`, the roll's of the land, which may have been set with the sale in view; `plat`, by what was known before the quarter of the sale.",
      ),
    by: z
      .enum([...WHOLE, ...NARROW_BUCKETS])
      .describe('Of which sales: `all`, those of the `last_12_months`, or those of a bucket of acreage.'),
    n: z.int().describe(`Sales, without outliers. Below ${LEAST_STUDIED} there are no figures.`),
    outliers: z
      .int()
      .describe('Sales left out by the IAAO rule: over three interquartile ranges beyond a quartile.'),
    median_ratio: figure('Median of value over price.'),
    cod: figure('Coefficient of dispersion: mean distance of ratios from their median, in percent of it.'),
    prd: figure(
      'Price-related differential: mean ratio over price-weighted ratio; above 1 where dear land is undervalued.',
    ),
    prb: figure('Price-related bias: by what share ratios change where the value doubles.'),
    mki: figure('Modified Kakwani index; below 1 where dear land is undervalued.'),
    vei: figure(
      'Vertical equity indicator, in percent; below 0 where dear land is undervalued. Null below 20 sales.',
    ),
    prb_by_chance: range.describe(
      'The PRB that values without bias would show which are off by as much: bias is what lies outside.',
    ),
    intervals: z
      .object({ median_ratio: range, cod: range, prd: range, prb: range, mki: range, vei: range })
      .describe('Of each figure the middle 90 % of its resamples.'),
  })
  .meta({ id: 'RatioStudy' });

const run = z
  .object({
    run_id: z.int(),
    feed: z.string(),
    counties: z.int().describe('How many counties the feed has: the figures are of all of them together.'),
    status: z.enum(['merged', 'blocked']),
    finished_at: z.iso.datetime({ offset: true }),
    rows,
    parcels: z.int().nullable(),
    new: z.int(),
    changed: z.int(),
    retired: z.int(),
    ids_kept: share('Of the parcels before it those that kept their id; null for a first run.'),
    filled,
  })
  .meta({ id: 'QualityRun' });

const quality = z
  .object({
    fips,
    name: z.string(),
    state: z.string(),
    computed_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('When shares and studies were computed; null where that is still to come.'),
    as_of: z.iso
      .date()
      .nullable()
      .describe(`The day up to which sales are studied, ${RECORD_YEARS} years of them.`),
    parcels: z.int().nullable().describe('Parcels on the roll.'),
    rows: rows.nullable().describe('Of the last merge of each of its rolls, together.'),
    filled,
    boundaries: share('Of the parcels those with a boundary.'),
    acreage_agrees: share(
      'Of the parcels with stated and measured acres those where the two are within a factor of 1.5.',
    ),
    acreage_compared: z.int().nullable().describe('Parcels with both.'),
    ids_kept: share('Of the parcels before the last merge those that kept their id; null after a first one.'),
    sources: z.array(
      z.object({
        name: z.string(),
        kind: sourceKind,
        as_of: z.iso
          .date()
          .nullable()
          .describe(
            'Its edition; else the day that its publisher says it was last changed; null without either.',
          ),
        age_days: z.int().nullable().describe('Days since `as_of`.'),
        merged_at: z.iso.datetime({ offset: true }).nullable().describe('When it was last taken in.'),
      }),
    ),
    no_comps: noCompsNotice,
    ratio_studies: z.array(study).describe("The assessor's first, each of all sizes, then by size."),
    history: z.array(run).describe('The last merged and blocked runs of its rolls, the newest first.'),
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
    "How full its roll is, whether boundaries and acres agree, whether ids were kept, as of when each source is; and how close the assessor's values and Plat's are to past sales (a ratio study).",
  params: z.object({ fips }),
  response: {
    description: 'The county. What is not known is null, or left out of lists.',
    schema: quality,
    example: { summary: 'A county', value: QUALITY_EXAMPLE },
  },
  errors: { not_found: 'Nothing is known of this county. Costs nothing.' },
  handle: async ({ params }, { db }, { now }) => {
    const body = await readQuality(db, params.fips, now);
    if (body === undefined) throw notFound(`Nothing is known of county ${params.fips}.`);
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
  const [[coverage], [stored]] = await Promise.all([
    readCoverage(db, Number(code)),
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
    ratio_studies: record?.ratio_studies ?? [],
    history: runs,
  };
}

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

/** Of the parcels that were there before runs the share that stayed; null where there were none. */
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
  // As jsonb keeps no order; the other names are of boundaries' files.
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
