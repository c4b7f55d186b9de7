import { setImmediate as turn } from 'node:timers/promises';
import { type ConfidenceOrder, LEAST_RANKED } from '../../shared/feeds/confidence-order.ts';
import {
  type CountyRecord,
  LEAST_STUDIED,
  MAX_TOWNS,
  type RatioStudyOf,
  RECORD_YEARS,
} from '../../shared/feeds/county-record.ts';
import { emptyBox } from '../../shared/geo/box.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import type { Range } from '../../shared/kernels/ratio-study/ratio-study.ts';
import { type EquityStudy, studyEquity } from '../../shared/kernels/ratio-study/vertical-equity.ts';
import { dayOf, isoDay, minusMonths } from '../../shared/kernels/stats/calendar.ts';
import { round2 } from '../../shared/kernels/stats/rounding.ts';
import { orderingOf } from '../../shared/kernels/valuation/backtest.ts';
import { type PastValue, valuePastSales } from '../../shared/kernels/valuation/past-values.ts';
import { salesUntil } from '../../shared/kernels/valuation/same-sale.ts';
import { ACRE_BUCKETS, NARROW_BUCKETS } from '../../shared/model/buckets.ts';
import { MAX_ACRES_RATIO, PARCEL_FIELD_NAMES, type ParcelField } from '../../shared/model/parcel-fields.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { StoredComps } from './valuation-comps.ts';
import { defaultValuationDay, type JobControl, readMarket } from './value-county.ts';

/**
 * Maximum number of sales to compare with, latest first. More sales would hardly narrow the confidence
 * intervals.
 */
const MAX_SALES = 2_000;

type Known = { seen_run: number; seen_sales: number };
type Facts = { known: Known; asOf: string; comps: StoredComps; filled: Omit<CountyRecord, 'ratio_studies'> };

/**
 * Measures how complete a county's roll is, compares estimated and assessed values with past sales, and
 * replaces the county's record. The model is fitted once for each quarter, with data from before its first
 * sale.
 */
export async function recordCounty(
  db: Db,
  fips: number,
  { signal, progress }: JobControl,
): Promise<{ parcels: number; sales: number }> {
  const { known, asOf, comps, filled } = await db.snapshot(tx => readFacts(tx, fips));
  const sales = pastSales(comps, fips, dayOf(asOf));
  const quarters = [...byQuarter(comps, sales).values()];
  const past = new Map<number, PastValue>();
  for (const [done, quarter] of quarters.entries()) {
    await turn();
    signal.throwIfAborted();
    progress?.(done / quarters.length);
    for (const [sale, value] of valuePastSales(comps, fips, quarter)) past.set(sale, value);
  }
  const values = new Map([...past].map(([sale, { meanAdjustedPrice }]) => [sale, meanAdjustedPrice]));
  const assessed = await assessedValues(db, fips, comps, sales);
  const lastYear = minusMonths(dayOf(asOf), 12);
  const record: CountyRecord = {
    ...filled,
    ratio_studies: [
      ...(await studiesOf('assessor', comps, assessed, lastYear, signal)),
      ...(await studiesOf('plat', comps, values, lastYear, signal)),
    ],
    confidence_order: orderOf(comps, past),
  };
  await db.run('feeds/store_record', { fips, as_of: asOf, record: JSON.stringify(record), ...known });
  return { parcels: record.parcels, sales: sales.length };
}

/**
 * Fields whose displayed value differs from the roll's column, such as acres, where 0 means that none are
 * stated.
 */
const SHOWN: Partial<Record<ParcelField, string>> = {
  acres: 'nullif(p.acres, 0)',
  year_built: 'nullif(p.year_built, 0)',
  owner_occupied: 'coalesce(f.owner_occupied, p.owner_occupied)',
};

async function readFacts(db: Db, fips: number): Promise<Facts> {
  const [known] = await db.run<Known>('feeds/get_known', { fips });
  const filled = PARCEL_FIELD_NAMES.map(name => `count(${SHOWN[name] ?? `p.${name}`})::int as ${name}`).join(
    ', ',
  );
  const rows = await db.run<Measured>(
    'feeds/measure_county',
    { fips },
    { filled, most_apart: String(MAX_ACRES_RATIO) },
  );
  const { parcels, boundaries, acreage_compared, acreage_agrees, ...fields } = rows[0]!;
  const towns = await db.run<{ town: string }>('feeds/list_towns', { fips, limit: MAX_TOWNS });
  const asOf = await defaultValuationDay(db);
  const { comps } = await readMarket(db, fips, emptyBox(), dayOf(asOf));
  return {
    known: known!,
    asOf,
    comps,
    filled: {
      parcels,
      filled: fields,
      boundaries,
      acreage_compared,
      acreage_agrees,
      towns: towns.map(({ town }) => town),
    },
  };
}

type Measured = Omit<CountyRecord, 'filled' | 'towns' | 'ratio_studies' | 'confidence_order'> &
  Record<ParcelField, number>;

/** The county's latest sales that can be valued, without duplicates, earliest first. */
function pastSales(comps: StoredComps, fips: number, asOfDay: number): number[] {
  const from = minusMonths(asOfDay, 12 * RECORD_YEARS);
  return Array.from(salesUntil(comps, asOfDay).all)
    .filter(sale => comps.county[sale] === fips && comps.soldDay[sale]! > from)
    .sort((a, b) => comps.soldDay[a]! - comps.soldDay[b]! || a - b)
    .slice(-MAX_SALES);
}

function byQuarter({ soldDay }: StoredComps, sales: readonly number[]): Map<string, number[]> {
  const quarters = new Map<string, number[]>();
  for (const sale of sales) {
    const [year, month] = isoDay(soldDay[sale]!).split('-');
    addToGroup(quarters, `${year} ${Math.ceil(Number(month) / 3)}`, sale);
  }
  return quarters;
}

/** The assessor's value of the sold land, if its parcel is known and hasn't been split since. */
async function assessedValues(
  db: Db,
  fips: number,
  { parcel }: StoredComps,
  sales: readonly number[],
): Promise<Map<number, number>> {
  const ids = sales.map(sale => parcel[sale]!).filter(id => !Number.isNaN(id));
  const rows = await db.run<{ property_id: number; value: number }>('feeds/list_land_values', {
    fips,
    property_ids: ids,
  });
  const known = new Map(rows.map(({ property_id, value }) => [property_id, value]));
  return new Map(
    sales.flatMap((sale): [number, number][] => {
      const value = known.get(parcel[sale]!);
      return value === undefined ? [] : [[sale, value]];
    }),
  );
}

/** Ratio studies for all sales that have a value, for those after `lastYear`, and for each size bucket. */
async function studiesOf(
  of: RatioStudyOf['of'],
  { acres, price, soldDay }: StoredComps,
  values: ReadonlyMap<number, number>,
  lastYear: number,
  signal: AbortSignal,
): Promise<RatioStudyOf[]> {
  const groups: { label: RatioStudyOf['by']; has(sale: number): boolean }[] = [
    { label: 'all', has: () => true },
    { label: 'last_12_months', has: sale => soldDay[sale]! > lastYear },
    ...ACRE_BUCKETS.filter(({ label }) => NARROW_BUCKETS.includes(label)).map(
      ({ label, minAcres, maxAcres }) => ({
        label,
        has: (sale: number) => minAcres <= acres[sale]! && acres[sale]! < maxAcres,
      }),
    ),
  ];
  const studies: RatioStudyOf[] = [];
  for (const { label, has } of groups) {
    await turn();
    signal.throwIfAborted();
    const own = [...values].filter(([sale]) => has(sale));
    if (own.length === 0) continue;
    const study = studyEquity(
      own.map(([, value]) => value),
      own.map(([sale]) => price[sale]!),
    );
    studies.push({ of, by: label, ...roundedStudy(study) });
  }
  return studies;
}

/** Whether estimates with higher confidence were closer to the prices of past sales. */
function orderOf({ price }: StoredComps, past: ReadonlyMap<number, PastValue>): ConfidenceOrder {
  const valued = [...past].map(([sale, { meanAdjustedPrice: model, confidence }]) => ({
    price: price[sale]!,
    confidence,
    estimates: { model },
  }));
  const order = valued.length < LEAST_RANKED ? null : orderingOf(valued);
  const rounded = (points: number | undefined) => (points === undefined ? null : round2(points));
  return {
    sales: valued.length,
    points: rounded(order?.points),
    low: rounded(order?.low),
    high: rounded(order?.high),
  };
}

const round4 = (value: number): number => Math.round(value * 1e4) / 1e4;

/** Rounds figures to four decimals, and omits them if there are too few sales. */
function roundedStudy({ n, outliers, intervals, prb_by_chance, ...figures }: EquityStudy): EquityStudy {
  const known = n >= LEAST_STUDIED;
  const rounded = (range: Range | null) =>
    range === null || !known ? null : { low: round4(range.low), high: round4(range.high) };
  const entries = Object.entries(figures) as [keyof typeof figures, number | null][];
  return {
    n,
    outliers,
    ...(Object.fromEntries(
      entries.map(([name, value]) => [name, value === null || !known ? null : round4(value)]),
    ) as typeof figures),
    prb_by_chance: rounded(prb_by_chance),
    intervals: Object.fromEntries(
      entries.map(([name]) => [name, rounded(intervals[name])]),
    ) as typeof intervals,
  };
}
