import { type ComputeOptions, computeChunk, type LandKernels } from '../../shared/land/compute-land.ts';
import type { MarkedRow } from '../../shared/land/marked-layers.ts';
import { type LandInput, readLand } from '../../shared/land/read-land.ts';
import { LAYER_BITS } from '../../shared/model/land-layers.ts';
import { type Pool, snapshot, statement } from '../../shared/platform/db.ts';
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
  pool: Pool,
  chunk: LandChunk,
  kernels: LandKernels,
  options: ComputeOptions,
): Promise<WrittenChunk & { jobs: string[]; warnings: string[] }> {
  const input = await readChunk(pool, chunk);
  const { parcels, failures } = await computeChunk(input, kernels, options);
  const written = await writeChunk(pool, chunk, parcels, input.shapeless, options.signal);
  const { last, awaited } = await followedBy(pool, chunk);
  const jobs = last && awaited ? await enqueueValuations(pool) : [];
  if (failures.length > 0) throw failures.find(failure => failure.retryable) ?? failures[0];
  const hasRoads = input.subjects.some(({ layers }) => (layers & LAYER_BITS.roads) > 0);
  const warnings = last && hasRoads ? await landlockedWarnings(pool, chunk.fips) : [];
  return { ...written, jobs, warnings };
}

/** Reads a chunk in one snapshot, so that its marks match its parcels, layers, and features. */
function readChunk(pool: Pool, { fips, chunk }: LandChunk): Promise<LandInput> {
  return snapshot(pool, async client => {
    const { rows } = await client.query<MarkedRow>(statement('land/read_marked_parcels', { fips, chunk }));
    return readLand(client, fips, rows);
  });
}

/**
 * Check after the chunk is committed. If two end at the same time, at least one sees that no other is left.
 */
async function followedBy(
  pool: Pool,
  { fips, chunk }: LandChunk,
): Promise<{ last: boolean; awaited: boolean }> {
  const { rows } = await pool.query(statement('land/is_last_chunk', { fips, chunk }));
  return rows[0]!;
}
