import { groupBy } from '../../shared/kernels/groups.ts';
import { accessSql } from '../../shared/land/access-sql.ts';
import {
  COLUMNS_OF,
  type ComputedParcel,
  type ComputeOptions,
  computeChunk,
  FIGURE_BITS,
  FIGURE_KINDS,
  type LandKernels,
} from '../../shared/land/compute-land.ts';
import type { MarkedRow } from '../../shared/land/marked-layers.ts';
import { readLand } from '../../shared/land/read-land.ts';
import { waterfrontSql } from '../../shared/land/waterfront-sql.ts';
import { LAYER_BITS } from '../../shared/model/land-layers.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';
import type { Values } from '../../shared/platform/named-parameters.ts';
import { type Fragments, literal } from '../../shared/platform/statements.ts';
import { type ShownLand, stageMeasuredLand } from '../changes/measured-changes.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';
import { enqueueValuations } from '../valuation/enqueue-valuations.ts';
import { landlockedWarnings } from './landlocked.ts';

/**
 * Computes and stores the land attributes of a chunk's parcels. It can be repeated after a crash. If two
 * workers compute the same chunk at once, the second writes nothing. The last chunk of a county refreshes
 * valuations and checks whether its frontage is plausible.
 * @throws PlatError `attributes` after the rest is stored, if something couldn't be computed
 */
export async function computeLandChunk(
  db: Db,
  chunk: LandChunk,
  kernels: LandKernels,
  options: ComputeOptions,
): Promise<WrittenChunk & { jobs: string[]; warnings: string[] }> {
  const { fips } = chunk;
  // Read everything in one snapshot, so that the marks match the parcels, layers, and features that were
  // read.
  const input = await db.snapshot(async tx =>
    readLand(tx, fips, await tx.run<MarkedRow>('land/read_marked_parcels', chunk)),
  );
  const { parcels, failures } = await computeChunk(input, kernels, options);
  const written = await writeChunk(db, chunk, parcels, input.shapeless, options.signal);
  // Check after the commit, so that if two chunks end at the same time, at least one of them finds no open
  // chunk.
  const [follow] = await db.run<{ last: boolean; awaited: boolean }>('land/is_last_chunk', chunk);
  const { last, awaited } = follow!;
  const jobs = last && awaited ? await enqueueValuations(db) : [];
  if (failures.length > 0) throw failures.find(failure => failure.retryable) ?? failures[0];
  const hasRoads = input.subjects.some(({ layers }) => (layers & LAYER_BITS.roads) > 0);
  const warnings = last && hasRoads ? await landlockedWarnings(db, fips) : [];
  return { ...written, jobs, warnings };
}

/** A group of a county's parcels that are computed together. */
export type LandChunk = { fips: number; chunk: number };

type WrittenChunk = {
  /** Number of parcels whose attributes were stored, including those without geometry. */
  parcels: number;
  /** How many of these parcels had filter values that changed. */
  changed: number;
};

type Mark = { property_id: number; mark: number };

/**
 * Stores a chunk in one transaction. Clears the parcels' marks, except for kinds that couldn't be computed,
 * marks valuations that use land figures, and records visible changes. Parcels that were marked again or
 * belong to another chunk are left alone. Waits for a running merge of the county.
 * @param shapeless parcels without geometry
 */
function writeChunk(
  db: Db,
  { fips, chunk }: LandChunk,
  parcels: readonly ComputedParcel[],
  shapeless: readonly Mark[],
  signal: AbortSignal,
): Promise<WrittenChunk> {
  return db.transaction(async tx => {
    await takeLock(tx, [LOCKS.countyAttributes, fips], signal, 'pg_try_advisory_xact_lock_shared');
    await tx.run('land/announce_writing');
    const rows = await tx.run<Mark>('land/lock_marked_parcels', { fips, chunk });
    const marks = new Map(rows.map(({ property_id, mark }) => [property_id, mark]));
    const isMine = ({ property_id, mark }: Mark) => marks.get(property_id) === mark;
    const shaped = parcels.filter(isMine);
    const unknown = shapeless.filter(isMine).map(row => row.property_id);

    const written = { fips, property_ids: [...shaped.map(row => row.property_id), ...unknown] };
    const readShown = () => tx.run<ShownLand>('changes/read_shown_land', written);
    const before = await readShown();
    const changed: number[] = [];
    const change = async (name: string, values: Values, parts?: Fragments) => {
      const ids = await tx.run<{ property_id: number }>(name, values, parts);
      changed.push(...ids.map(row => row.property_id));
    };
    for (const [layers, group] of groupBy(shaped, row => row.layers))
      await change('land/store_attributes', {}, partsOf(fips, layers, group));
    await storeOverlays(tx, fips, shaped);
    if (unknown.length > 0) await change('land/forget_attributes', { fips, property_ids: unknown });
    if (changed.length > 0) await tx.run('valuation/mark_land', { fips });
    await openChanges(tx);
    await stageMeasuredLand(tx, fips, before, await readShown());
    for (const [remaining, group] of groupBy(shaped, row => row.remaining)) {
      const ids = group.map(row => row.property_id);
      if (remaining === 0) await tx.run('land/clear_marks', { fips, property_ids: ids });
      else await tx.run('land/narrow_marks', { fips, property_ids: ids, layers: remaining });
    }
    if (unknown.length > 0) await tx.run('land/clear_marks', { fips, property_ids: unknown });
    await recordChanges(tx);
    return { parcels: shaped.length + unknown.length, changed: changed.length };
  });
}

/** Replaces the overlays of the parcels for which they were computed. */
async function storeOverlays(tx: Db, fips: number, parcels: readonly ComputedParcel[]): Promise<void> {
  const computed = parcels.filter(({ layers }) => (layers & LAYER_BITS.overlay) > 0);
  if (computed.length === 0) return;
  const property_ids = computed.map(({ property_id }) => property_id);
  await tx.run('land/delete_overlays', { fips, property_ids });
  const overlays = computed.flatMap(({ property_id, overlays }) =>
    overlays.map(overlay => ({ property_id, ...overlay })),
  );
  if (overlays.length === 0) return;
  const rows = literal(JSON.stringify(overlays));
  await tx.run('land/insert_overlays', {}, { fips: literal(fips), overlays: rows });
}

function partsOf(fips: number, layers: number, parcels: readonly ComputedParcel[]): Fragments {
  const set = FIGURE_KINDS.flatMap(kind =>
    COLUMNS_OF[kind].map(column =>
      (layers & FIGURE_BITS[kind]) > 0
        ? `${column} = excluded.${column}`
        : `${column} = case when a.shape_hash = excluded.shape_hash then a.${column} end`,
    ),
  );
  return {
    fips: literal(fips),
    parcels: literal(JSON.stringify(parcels.map(({ overlays: _, ...row }) => row))),
    access: accessSql('s.access', 'p'),
    waterfront: waterfrontSql('s.waterfront_ft', 'p'),
    columns: FIGURE_KINDS.flatMap(kind => COLUMNS_OF[kind]).join(', '),
    set: set.join(', '),
  };
}
