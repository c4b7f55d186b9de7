import { type ComputeOptions, computeChunk, type LandKernels } from '../../shared/land/compute-land.ts';
import type { MarkedRow } from '../../shared/land/marked-layers.ts';
import { type LandInput, readLand } from '../../shared/land/read-land.ts';
import { LAYER_BITS } from '../../shared/model/land-layers.ts';
import type { Db } from '../../shared/platform/db.ts';
import { enqueueValuations } from '../valuation/enqueue-valuations.ts';
import { landlockedWarnings } from './landlocked.ts';
import { type LandChunk, type WrittenChunk, writeChunk } from './write-chunk.ts';

/**
 * Computes the land attributes of a chunk's parcels and stores them; killed anywhere it can be done again,
 * and of two at once the second writes nothing. The last chunk of a county has valuations refreshed and looks
 * whether its frontage is plausible.
 * @throws PlatError `attributes` when something could not be computed, after the rest was stored
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

/** In one snapshot: a mark that was read covers parcels, layers and features that were read. */
function readChunk(db: Db, { fips, chunk }: LandChunk): Promise<LandInput> {
  return db.snapshot(async tx => {
    const rows = await tx.run<MarkedRow>('land/read_marked_parcels', { fips, chunk });
    return readLand(tx, fips, rows);
  });
}

/** Call after the chunk is committed: of two that end at once, at least one finds no other. */
async function followedBy(db: Db, { fips, chunk }: LandChunk): Promise<{ last: boolean; awaited: boolean }> {
  const [row] = await db.run<{ last: boolean; awaited: boolean }>('land/is_last_chunk', { fips, chunk });
  return row!;
}
