import { type ComputeOptions, computeChunk, type LandKernels } from '../../shared/land/compute-land.ts';
import type { MarkedRow } from '../../shared/land/marked-layers.ts';
import { type LandInput, readLand } from '../../shared/land/read-land.ts';
import { LAYER_BITS } from '../../shared/model/land-layers.ts';
import type { Db } from '../../shared/platform/db.ts';
import { enqueueValuations } from '../valuation/enqueue-valuations.ts';
import { landlockedWarnings } from './landlocked.ts';
import { type LandChunk, type WrittenChunk, writeChunk } from './write-chunk.ts';

/**
 * Computes and stores the land attributes of a chunk's parcels. It can be repeated after a crash, and if two
 * run at once, the second writes nothing. The last chunk of a county refreshes valuations and checks whether
 * its frontage is plausible.
 * @throws PlatError `attributes` when something couldn't be computed, after the rest was stored
 */
export async function computeLandChunk(
  db: Db,
  chunk: LandChunk,
  kernels: LandKernels,
  options: ComputeOptions,
): Promise<WrittenChunk & { jobs: string[]; warnings: string[] }> {
  const input = await readChunk(db, chunk);
  const { parcels, failures } = await computeChunk(input, kernels, options);
  const written = await writeChunk(db, chunk, parcels, input.shapeless, options.signal);
  const { last, awaited } = await followedBy(db, chunk);
  const jobs = last && awaited ? await enqueueValuations(db) : [];
  if (failures.length > 0) throw failures.find(failure => failure.retryable) ?? failures[0];
  const hasRoads = input.subjects.some(({ layers }) => (layers & LAYER_BITS.roads) > 0);
  const warnings = last && hasRoads ? await landlockedWarnings(db, chunk.fips) : [];
  return { ...written, jobs, warnings };
}

/** Reads a chunk in one snapshot, so that its marks match its parcels, layers, and features. */
function readChunk(db: Db, { fips, chunk }: LandChunk): Promise<LandInput> {
  return db.snapshot(async tx => {
    const rows = await tx.run<MarkedRow>('land/read_marked_parcels', { fips, chunk });
    return readLand(tx, fips, rows);
  });
}

/**
 * Check after the chunk is committed. If two end at the same time, at least one sees that no other is left.
 */
async function followedBy(db: Db, { fips, chunk }: LandChunk): Promise<{ last: boolean; awaited: boolean }> {
  const [row] = await db.run<{ last: boolean; awaited: boolean }>('land/is_last_chunk', { fips, chunk });
  return row!;
}
