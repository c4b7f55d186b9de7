import { hash } from 'node:crypto';
import { dayOf, isoDay, utcDay } from '../../../shared/kernels/stats/calendar.ts';
import { NO_DAY } from '../../../shared/kernels/stats/region-stats.ts';
import type { PriceIndex } from '../../../shared/kernels/valuation/price-index.ts';
import { type DatedListings, knownPeriod, restatedStats } from '../../../shared/market/dated-listings.ts';
import { indexFigures } from '../../../shared/model/market-metrics.ts';
import {
  type RegionFields,
  type RegionStats,
  recordedBody,
  statsBody,
} from '../../../shared/model/market-stats.ts';
import { unpackStats } from '../../../shared/model/stats-codec.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { validationError } from '../../http/error-responses.ts';

type StoredRegion = Omit<RegionFields, 'fips'> & {
  code: string;
  fips: number;
  price_index: PriceIndex | null;
};

/** @throws PlatError `validation_error` for today and later dates */
export function requirePast(asOf: string, now: Date): void {
  const today = isoDay(utcDay(now.getTime()));
  if (asOf >= today)
    throw validationError({
      as_of: [`must be before today, ${today} in UTC. Omit it for current statistics`],
    });
}

/**
 * What stats/ returned at the end of a date, if that was recorded. Otherwise, the statistics for that date
 * based on what is known now, without buckets if there is no data. Undefined for an unknown region.
 */
export async function statsOfDay(
  db: Db,
  type: 'county' | 'zip',
  code: string,
  asOf: string,
): Promise<{ body: Buffer; etag: string; known: boolean } | undefined> {
  const [recorded] = await db.run<{ told: string; figures: Buffer }>('market/read_recorded', {
    type,
    code,
    as_of: asOf,
  });
  if (recorded !== undefined)
    return toAnswer(recordedBody(recorded.told, unpackStats(recorded.figures, null)), true);
  const [region] = await db.run<StoredRegion>('market/list_stored_stats', { types: [type], codes: [code] });
  if (region === undefined) return undefined;
  const stats = await restatedOfDay(db, region, asOf);
  const fields = { ...region, fips: type === 'county' ? code : '' };
  return toAnswer(statsBody(fields, stats ?? { asOf, buckets: [] }), stats !== null);
}

function toAnswer(text: string, known: boolean) {
  return { body: Buffer.from(text), etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"`, known };
}

/**
 * The statistics for a date based on what is known now, with today's price index. Null if there is no data.
 */
export async function restatedOfDay(
  db: Db,
  { type, code, price_index }: Pick<StoredRegion, 'type' | 'code' | 'price_index'>,
  asOf: string,
): Promise<RegionStats | null> {
  const rows = await db.run<DatedRow>(
    'market/list_dated_listings',
    type === 'county' ? { fips: Number(code) } : { zip: code },
    { where: type === 'county' ? 'fips = :fips' : 'zip = :zip' },
  );
  const listings = toColumns(rows);
  const all = [...rows.keys()];
  const stats = restatedStats(listings, all, knownPeriod(listings, all), dayOf(asOf));
  if (stats === null || price_index === null) return stats;
  const index = indexFigures(price_index, dayOf(asOf));
  return {
    ...stats,
    buckets: stats.buckets.map(each => each && { ...each, more: { ...each.more, ...index } }),
  };
}

type DatedRow = {
  status: number;
  cents: number;
  acres: number;
  since: number | null;
  until: number | null;
  days_on_market: number | null;
  asked: number | null;
  feed_day: number | null;
  listed_from: number | null;
};

/** Unknown values are coded as in DATED_COLUMNS. */
const toColumns = (rows: readonly DatedRow[]): DatedListings => ({
  status: Uint8Array.from(rows, row => row.status),
  price: Float64Array.from(rows, row => row.cents / 100),
  acres: Float64Array.from(rows, row => row.acres),
  soldDay: Int32Array.from(rows, row => row.since ?? NO_DAY),
  until: Int32Array.from(rows, row => row.until ?? 0x7fffffff),
  daysOnMarket: Int32Array.from(rows, row => row.days_on_market ?? NO_DAY),
  asked: Float64Array.from(rows, row => row.asked ?? Number.NaN),
  feedDay: Int32Array.from(rows, row => row.feed_day ?? NO_DAY),
  listedFrom: Int32Array.from(rows, row => row.listed_from ?? NO_DAY),
});
