import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import { boundaryName } from '../../shared/kernels/acres-together.ts';
import { type Assemblage, assemblagesOf, type Lot, outlineOf } from '../../shared/kernels/assemblage.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import { roundAcres } from '../../shared/model/shown-acres.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';
import { forEachPair, type OwnedParcel, readOwnedParcels } from './read-owned-parcels.ts';
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
    const { parcels, skipped } = await readOwnedParcels(tx, fips);
    const found = new Map<number, Assemblage | null>(skipped.map(({ id }) => [id, null]));
    for (const batch of batchesOf(parcels)) {
      signal.throwIfAborted();
      progress?.(found.size / parcels.length);
      for (const [id, assemblage] of await groupBatch(tx, batch))
        if (countyOf(id) === fips) found.set(id, rounded(assemblage));
    }
    const own = [...parcels.filter(({ id }) => countyOf(id) === fips), ...skipped];
    const changed = await writeAssemblages(tx, fips, found);
    if (changed > 0) await tx.run('valuation/mark_counties', { fips: [fips] });
    return {
      parcels: own.length,
      grouped: found.size - skipped.length,
      without_boundary: own.filter(({ box }) => box === null).length,
      too_many: skipped.length,
      changed,
    };
  });
}

const rounded = (of: Assemblage): Assemblage => ({
  ...of,
  acres: roundAcres(of.acres),
  touching_acres: roundAcres(of.touching_acres),
});

type Batch = { lots: OwnedParcel[]; pairs: [OwnedParcel, OwnedParcel][] };

/** Limits the boundaries in memory. An owner's parcels are always in one batch. */
const BATCH_LOTS = 5_000;

function* batchesOf(parcels: readonly OwnedParcel[]): Generator<Batch> {
  const byOwner = new Map<string, Batch['pairs']>();
  forEachPair(parcels, (a, b) => addToGroup(byOwner, a.owner, [a, b]));
  let pairs: Batch['pairs'] = [];
  let lots = new Set<OwnedParcel>();
  for (const ofOwner of byOwner.values()) {
    for (const pair of ofOwner) {
      pairs.push(pair);
      for (const lot of pair) lots.add(lot);
    }
    if (lots.size < BATCH_LOTS) continue;
    yield { lots: [...lots], pairs };
    [pairs, lots] = [[], new Set()];
  }
  if (lots.size > 0) yield { lots: [...lots], pairs };
}

type Shape = {
  property_id: number;
  boundary: Uint8Array;
  x: number;
  y: number;
  calculated_acres: number;
};

async function groupBatch(db: Db, { lots, pairs }: Batch): Promise<Map<number, Assemblage>> {
  const property_ids = lots.map(lot => lot.id);
  const counties = [...new Set(property_ids.map(countyOf))];
  const rows = await db.run<Shape>('land/read_lots', { counties, property_ids });
  const shapes = new Map(rows.map(row => [row.property_id, row]));
  const shaped = lots.filter(({ id }) => shapes.has(id));
  const places = new Map(shaped.map((lot, place) => [lot, place]));
  const placed = pairs.flatMap(pair => {
    const [a, b] = pair.map(lot => places.get(lot));
    return a === undefined || b === undefined ? [] : [a, b];
  });
  return assemblagesOf(
    shaped.map(({ id, acres }): Lot => {
      const { boundary, x, y, calculated_acres } = shapes.get(id)!;
      return {
        id,
        county: countyOf(id),
        acres,
        boundary: boundaryName(x, y, calculated_acres),
        boundaryAcres: calculated_acres,
        outline: outlineOf(decodeBoundary(boundary)),
      };
    }),
    placed,
  );
}
