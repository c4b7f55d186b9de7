import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import { boundaryName } from '../../shared/kernels/acres-together.ts';
import {
  type Assemblage,
  assemblagesOf,
  type Lot,
  nearbyPairs,
  outlineOf,
} from '../../shared/kernels/assemblage.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';
import { type OwnedParcels, readOwnedParcels } from './read-owned-parcels.ts';
import { writeAssemblages } from './write-assemblages.ts';

export type ComputedCounty = {
  /** The county's parcels whose owner is known. */
  parcels: number;
  /** How many of them belong to an assemblage. */
  grouped: number;
  /** How many of them can't, because they have no boundary. */
  without_boundary: number;
  /** How many of them are not grouped, because their owner has too many parcels in the county. */
  too_many: number;
  changed: number;
};

type Options = { signal: AbortSignal; progress?: (share: number) => void };

/** Computes a county's assemblages, and stores those that differ, in one transaction. */
export function computeAssemblages(
  db: Db,
  fips: number,
  { signal, progress }: Options,
): Promise<ComputedCounty> {
  return db.transaction(async tx => {
    // Computing can take seconds on a busy machine.
    await tx.execute("set local idle_in_transaction_session_timeout = '5min'");
    // Keeps merges of the county waiting, so that its parcels stay as they were read.
    await takeLock(tx, [LOCKS.countyRoll, fips], signal, 'pg_try_advisory_xact_lock');
    await tx.run('land/clear_assemblage_marks', { fips });
    const { known, withoutBoundary, skipped, parcels } = await readOwnedParcels(tx, fips);
    const found = new Map<number, Assemblage | null>(Array.from(skipped, id => [id, null]));
    for (const pairs of batchesOf(parcels)) {
      signal.throwIfAborted();
      progress?.(found.size / known);
      for (const [id, assemblage] of await groupBatch(tx, parcels, pairs))
        if (countyOf(id) === fips) found.set(id, assemblage);
    }
    const changed = await writeAssemblages(tx, fips, found);
    if (changed > 0) await tx.run('valuation/mark_counties', { fips: [fips] });
    return {
      parcels: known,
      grouped: found.size - skipped.length,
      without_boundary: withoutBoundary,
      too_many: skipped.length,
      changed,
    };
  });
}

/** Limits the boundaries in memory. */
const BATCH_PAIRS = 1_000;

/**
 * The pairs of parcels of one owner whose boxes come together, as positions that take turns. All pairs of an
 * owner are in one batch.
 */
function* batchesOf({ owners, boxes }: OwnedParcels): Generator<number[]> {
  const pairs = nearbyPairs(owners, boxes);
  const byOwner = Uint32Array.from({ length: pairs.length / 2 }, (_, i) => 2 * i).sort(
    (a, b) => owners[pairs[a]!]! - owners[pairs[b]!]!,
  );
  let batch: number[] = [];
  for (const at of byOwner) {
    if (batch.length >= 2 * BATCH_PAIRS && owners[batch[0]!] !== owners[pairs[at]!]) {
      yield batch;
      batch = [];
    }
    batch.push(pairs[at]!, pairs[at + 1]!);
  }
  if (batch.length > 0) yield batch;
}

type Shape = {
  property_id: number;
  boundary: Uint8Array;
  x: number;
  y: number;
  calculated_acres: number;
};

/** The assemblages of the parcels of these pairs. */
async function groupBatch(
  db: Db,
  { ids, acres }: OwnedParcels,
  pairs: readonly number[],
): Promise<Map<number, Assemblage>> {
  const parcels = [...new Set(pairs)];
  const property_ids = parcels.map(parcel => ids[parcel]!);
  const counties = [...new Set(property_ids.map(countyOf))];
  const rows = await db.run<Shape>('land/read_lots', { counties, property_ids });
  const shapes = new Map(rows.map(row => [row.property_id, row]));
  const shaped = parcels.filter(parcel => shapes.has(ids[parcel]!));
  const places = new Map(shaped.map((parcel, place) => [parcel, place]));
  const placed: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = [places.get(pairs[i]!), places.get(pairs[i + 1]!)];
    if (a !== undefined && b !== undefined) placed.push(a, b);
  }
  const lots = shaped.map(parcel => lotOf(shapes.get(ids[parcel]!)!, acres[parcel]!));
  return assemblagesOf(lots, placed);
}

const lotOf = ({ property_id, boundary, x, y, calculated_acres }: Shape, acres: number): Lot => ({
  id: property_id,
  county: countyOf(property_id),
  acres,
  boundary: boundaryName(x, y, calculated_acres),
  boundaryAcres: calculated_acres,
  outline: outlineOf(decodeBoundary(boundary)),
});
