import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayOf, isoDay, monthEnds, utcDay } from '../../shared/kernels/stats/calendar.ts';
import {
  DATED_COLUMNS,
  type DatedListings,
  digestOf,
  type KnownPeriod,
  knownPeriod,
  restatedStats,
} from '../../shared/market/dated-listings.ts';
import { packStats } from '../../shared/model/stats-codec.ts';
import { copyBytes, openCopy, readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS, withLock } from '../../shared/platform/locks.ts';
import { compose, sql } from '../../shared/platform/statements.ts';
import { type Codes, dollars, listed, ofRegions, REGION_COLUMNS, rowsOfRegions } from './market-snapshot.ts';

/** How far back a region's history is computed. */
export const HISTORY_MONTHS = 120;

export type RestateOptions = {
  /** Default: all regions. */
  codes?: Codes | undefined;
  progress?: (done: number, total: number) => void;
  signal?: AbortSignal | undefined;
  /** Today in UTC, in days since 1970-01-01. Tests override it. */
  today?: number | undefined;
};

export type RestateResult = { regions: number; months: number };

/** Rows per transaction. They take a few seconds to compute, which are lost if the job stops. */
const BATCH_MONTHS = 50_000;
/** Months per turn of the event loop. They take a few milliseconds to compute. */
const TURN_MONTHS = 500;

const COLUMNS = { ...REGION_COLUMNS, ...DATED_COLUMNS } as const;

type Region = { type: 'county' | 'zip'; code: string; through: string | null; digest: string | null };

/**
 * A region whose history is out of date, with the months to compute and the listings to compute them from.
 */
type Due = {
  type: string;
  code: string;
  rows: readonly number[];
  known: KnownPeriod;
  months: readonly number[];
  /** The last day that the stored history covers. Earlier than any date if the history is invalid. */
  after: number;
  digest: string;
};

/**
 * Computes statistics of past months with current data: new months of every region, and all months of regions
 * with changed listings. Recorded responses aren't changed. After a crash, the next run computes what wasn't
 * written.
 */
export function restateHistory(db: Db, options: RestateOptions = {}): Promise<RestateResult> {
  const { codes, progress, signal, today = utcDay(Date.now()) } = options;
  return withLock(db, [LOCKS.marketHistory], signal, async connection => {
    const ends = monthEnds(today, HISTORY_MONTHS);
    const { regions, listings, rowsOf } = await connection.snapshot(tx => readKnown(tx, codes ?? null));
    const due = regions.flatMap(region =>
      dueOf(region, listings, rowsOf[region.type].get(Number(region.code)) ?? [], ends),
    );
    const result = { regions: due.length, months: 0 };
    const total = due.reduce((sum, { months }) => sum + months.length, 0);
    for (let from = 0; from < due.length; ) {
      signal?.throwIfAborted();
      progress?.(result.months, total);
      let to = from;
      for (let months = 0; to < due.length && months < BATCH_MONTHS; to++) months += due[to]!.months.length;
      const batch = due.slice(from, to);
      await connection.transaction(tx => writeBatch(tx, batch, listings, ends));
      result.months += batch.reduce((sum, { months }) => sum + months.length, 0);
      from = to;
    }
    return result;
  });
}

async function readKnown(tx: Db, codes: Codes | null) {
  const regions = await tx.run<Region>('market/list_restated', listed(codes));
  const scope = ofRegions(codes);
  const { columns } = await readCopy(tx, compose('market/copy_dated_listings', { scope }), COLUMNS);
  const listings: DatedListings = { ...columns, price: dollars(columns) };
  return { regions, listings, rowsOf: rowsOfRegions(columns) };
}

function dueOf(
  { type, code, through, digest }: Region,
  listings: DatedListings,
  rows: readonly number[],
  ends: readonly number[],
): Due[] {
  if (rows.length === 0 && digest === null) return [];
  const known = knownPeriod(listings, rows);
  const last = ends.at(-1)!;
  const computed = through === null ? Number.NEGATIVE_INFINITY : dayOf(through);
  const holds = digest !== null && digest === digestOf(listings, rows, known, computed);
  if (holds && computed >= last) return [];
  const after = holds ? computed : 0;
  const months = holds ? ends.filter(day => day > after) : ends;
  return [{ type, code, rows, known, months, after, digest: digestOf(listings, rows, known, last) }];
}

async function writeBatch(
  tx: Db,
  batch: readonly Due[],
  listings: DatedListings,
  ends: readonly number[],
): Promise<void> {
  const regions = { types: batch.map(({ type }) => type), codes: batch.map(({ code }) => code) };
  const changed = batch.filter(one => one.after === 0);
  await tx.run('market/clear_history', {
    types: changed.map(({ type }) => type),
    codes: changed.map(({ code }) => code),
  });
  const after = batch.map(one => isoDay(one.after));
  const rows = await tx.run<{ type: string; code: string; as_of: string }>('market/list_recorded', {
    ...regions,
    after,
  });
  const recorded = new Set(rows.map(({ type, code, as_of }) => `${type}${code}${as_of}`));
  await writeMonths(tx, batch, listings, recorded);
  const digests = batch.map(({ digest }) => digest);
  const through = isoDay(ends.at(-1)!);
  await tx.run('market/store_restated', { ...regions, digests, through });
}

async function writeMonths(
  db: Db,
  batch: readonly Due[],
  listings: DatedListings,
  recorded: ReadonlySet<string>,
): Promise<void> {
  const copy = openCopy(db, sql('market/copy_history'));
  try {
    let turn = 0;
    for (const { type, code, rows, known, months } of batch) {
      for (const day of months) {
        const asOf = isoDay(day);
        if (recorded.has(`${type}${code}${asOf}`)) continue;
        const stats = restatedStats(listings, rows, known, day);
        if (stats === null) continue;
        copy.write(`${type}\t${code}\t${asOf}\t${copyBytes(packStats(stats))}`);
      }
      turn += months.length;
      if (turn < TURN_MONTHS) continue;
      turn = 0;
      await nextTurn();
      await copy.drain();
    }
    await copy.end();
  } catch (error) {
    await copy.abort();
    throw error;
  }
}
