import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayOf, isoDay, monthEnds, utcDay } from '../../shared/kernels/stats/calendar.ts';
import { NO_DAY } from '../../shared/kernels/stats/region-stats.ts';
import { regionStats, statsBody, statsEtag } from '../../shared/model/market-stats.ts';
import { packStats } from '../../shared/model/stats-codec.ts';
import type { Db } from '../../shared/platform/db.ts';
import { isRetryable, messageOf } from '../../shared/platform/errors.ts';
import { LOCKS, takeLock, withLock } from '../../shared/platform/locks.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';
import { regionFields } from '../regions/load-regions.ts';
import {
  type Codes,
  type MarketScope,
  type RowsOf,
  readSnapshot,
  rowsOfRegions,
  type Snapshot,
  type StoredRegion,
} from './market-snapshot.ts';

type RecomputeOptions = {
  /** 'YYYY-MM-DD'. Default: today, or the day of the latest snapshot (see `asOfDay`). */
  asOf?: string | undefined;
  progress?: (done: number, total: number) => void;
  signal?: AbortSignal | undefined;
  /** Today in UTC, in days since 1970-01-01. Tests override it. */
  today?: number | undefined;
};

export type RecomputeResult = {
  regions: number;
  /** Number of regions whose response changed. */
  changed: number;
  listings: number;
  /** Codes in listings or marks that aren't regions. Nothing is computed for them. */
  unknown: number;
  /** The regions, by type. */
  codes: Codes;
  /** Regions that could not be computed or written. They keep their row and their mark. */
  failed: { type: string; code: string; message: string }[];
};

/** Size of a transaction: large enough to hide its overhead, small enough to hold two batches in memory. */
const BATCH_BYTES = 8 << 20;
const BATCH_REGIONS = 2_000;
/**
 * Regions per turn of the event loop, about 2 ms of computing. Longer turns make the database wait for the
 * next statement.
 */
const TURN_REGIONS = 32;

/**
 * Computes the statistics of a scope's regions from their listings and replaces those that differ. Each
 * region is replaced atomically, and only one recompute runs at a time. After a crash, unwritten regions keep
 * their mark, so the next run finds them.
 * @throws PlatError `not_found` for a region that does not exist, or the signal's reason.
 */
export function recomputeStats(
  db: Db,
  scope: MarketScope,
  options: RecomputeOptions = {},
): Promise<RecomputeResult> {
  return withLock(db, [LOCKS.marketRecompute], options.signal, async connection => {
    await recordMonth(connection, options);
    return recomputeRegions(
      connection,
      scope,
      await connection.snapshot(tx => readSnapshot(tx, scope)),
      options,
    );
  });
}

async function recomputeRegions(
  db: Db,
  scope: MarketScope,
  snapshot: Snapshot,
  { asOf, progress, signal }: RecomputeOptions,
): Promise<RecomputeResult> {
  const { regions, rowsOf, unknown } = regionsOf(snapshot, scope);
  const result: RecomputeResult = {
    regions: regions.length,
    changed: 0,
    listings: snapshot.listings.count,
    unknown,
    codes: { county: [], zip: [] },
    failed: [],
  };
  for (const { type, code } of regions) result.codes[type].push(code);
  if (snapshot.strayMarks.length > 0) await clearMarks(db, snapshot.strayMarks);

  const compute = regionComputer(snapshot, asOf);
  let batch: ComputedStats[] = [];
  let bytes = 0;
  let done = 0;
  // The database writes one batch while the next is computed.
  let writing: Promise<Written> = Promise.resolve({ changed: 0, failed: [] });
  const flush = async () => {
    const written = await writing;
    result.changed += written.changed;
    result.failed.push(...written.failed);
    signal?.throwIfAborted();
    progress?.(done, regions.length);
    writing = writeStats(db, batch);
    // The next flush awaits this write. Before that, a failure must not be treated as unhandled.
    writing.catch(() => {});
    batch = [];
    bytes = 0;
  };

  for (const region of regions) {
    try {
      const computed = compute(region, rowsOf[region.type].get(Number(region.code)) ?? []);
      if (isChanged(computed) || region.marked_at !== null) batch.push(computed);
      bytes += computed.body?.length ?? 0;
    } catch (error) {
      const message = messageOf(error);
      result.failed.push({ type: region.type, code: region.code, message });
    }
    done++;
    if (done % TURN_REGIONS === 0) await nextTurn();
    if (bytes >= BATCH_BYTES || batch.length >= BATCH_REGIONS) await flush();
  }
  await flush();
  await flush();
  return result;
}

/**
 * The regions to compute. For all regions, those that have listings, had some when last computed, or are
 * marked.
 */
function regionsOf({ listings, regions, strayMarks }: Snapshot, scope: MarketScope) {
  const rowsOf = rowsOfRegions(listings);
  const isAll = 'all' in scope;
  const wanted = regions.filter(
    region =>
      !isAll ||
      rowsOf[region.type].has(Number(region.code)) ||
      region.listings > 0 ||
      region.marked_at !== null,
  );
  return {
    regions: wanted,
    rowsOf,
    unknown: strayMarks.length + (isAll ? countUnknown(rowsOf, regions) : 0),
  };
}

function regionComputer({ listings }: Snapshot, asOf: string | undefined) {
  const today = utcDay(Date.now());
  const named = asOf === undefined ? undefined : dayOf(asOf);
  return (region: StoredRegion, rows: readonly number[]): ComputedStats => {
    const day = named ?? asOfDay(listings.feedDay, rows, today);
    const stats = regionStats(listings, rows, day, { index: region.price_index, listed: true });
    const fields = regionFields(region);
    const etag = statsEtag(fields, stats);
    return {
      region,
      etag,
      asOf: stats.asOf,
      listings: rows.length,
      body: etag === region.etag ? null : statsBody(fields, stats),
      figures: etag === region.etag ? null : packStats(stats),
    };
  };
}

/** Today, or the date of the latest snapshot if all of a region's listings come from snapshots. */
function asOfDay(feedDay: Int32Array, rows: readonly number[], today: number): number {
  let latest = NO_DAY;
  for (const row of rows) {
    const day = feedDay[row]!;
    if (day === NO_DAY) return today;
    if (day > latest) latest = day;
  }
  return latest === NO_DAY ? today : latest;
}

function countUnknown(rowsOf: RowsOf, regions: readonly StoredRegion[]): number {
  const knownRegions = new Set(regions.map(({ type, code }) => `${type}:${code}`));
  const types = ['county', 'zip'] as const;
  const codes = types.flatMap(type => [...rowsOf[type].keys()].map(code => `${type}:${fiveDigits(code)}`));
  return codes.filter(code => !knownRegions.has(code)).length;
}

type ComputedStats = {
  region: StoredRegion;
  etag: string;
  asOf: string | null;
  listings: number;
  /** Null if the stored bytes are unchanged. The same is true of `figures`. */
  body: string | null;
  figures: Buffer | null;
};

type Written = Pick<RecomputeResult, 'changed' | 'failed'>;

/**
 * Writes a batch and clears its marks in one transaction. If the batch can't be written, each region is tried
 * on its own, so that only the faulty one keeps its old row and its mark.
 * @throws the database's error if a retry may succeed, for example after a lost connection
 */
async function writeStats(db: Db, batch: readonly ComputedStats[]): Promise<Written> {
  try {
    if (batch.length > 0) await db.transaction(tx => writeTogether(tx, batch));
    return { changed: batch.filter(entry => entry.body !== null).length, failed: [] };
  } catch (error) {
    if (isRetryable(error)) throw error;
    if (batch.length === 1) {
      const { type, code } = batch[0]!.region;
      return { changed: 0, failed: [{ type, code, message: messageOf(error) }] };
    }
  }
  const written: Written = { changed: 0, failed: [] };
  for (const entry of batch) {
    const { changed, failed } = await writeStats(db, [entry]);
    written.changed += changed;
    written.failed.push(...failed);
  }
  return written;
}

async function writeTogether(tx: Db, batch: readonly ComputedStats[]): Promise<void> {
  const changed = batch.filter(isChanged);
  if (changed.length > 0) {
    await openChanges(tx);
    const bodies = {
      types: changed.map(row => row.region.type),
      codes: changed.map(row => row.region.code),
      bodies: changed.map(row => row.body ?? '').join('\n'),
    };
    await tx.run('changes/stage_stats_changes', bodies);
    await tx.run('market/update_region_stats', {
      ...bodies,
      figures: changed.map(row => row.figures?.toString('base64') ?? '').join('\n'),
      etags: changed.map(row => row.etag),
      as_of_days: changed.map(row => row.asOf),
      listing_counts: changed.map(row => row.listings),
    });
  }
  await clearMarks(
    tx,
    batch.map(entry => entry.region),
  );
  if (changed.length > 0) await recordChanges(tx);
}

/** Whether the row differs from the stored one. */
const isChanged = ({ region, etag, asOf, listings }: ComputedStats): boolean =>
  etag !== region.etag || asOf !== region.as_of || listings !== region.listings;

/** Clears marks that haven't changed since they were read. Skips regions without a mark. */
async function clearMarks(
  db: Db,
  regions: readonly { type: string; code: string; marked_at: string | null }[],
): Promise<void> {
  const marked = regions.filter(region => region.marked_at !== null);
  if (marked.length === 0) return;
  await db.run('market/clear_dirty_regions', {
    types: marked.map(region => region.type),
    codes: marked.map(region => region.code),
    marked_at: marked.map(region => region.marked_at),
  });
}

/** Call this under the recompute lock, before the first response of a new month is written. */
async function recordMonth(db: Db, { today, signal }: RecomputeOptions): Promise<void> {
  const [last] = monthEnds(today ?? utcDay(Date.now()), 1);
  const day = isoDay(last!);
  const rows = await db.run<{ recorded: boolean }>('market/has_recorded', { day });
  if (rows[0]!.recorded) return;
  await db.transaction(async tx => {
    await takeLock(tx, [LOCKS.marketHistory], signal, 'pg_try_advisory_xact_lock');
    await tx.run('market/record_month', { day });
  });
}
