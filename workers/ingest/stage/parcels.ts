import { openCopy } from '../../../shared/copy.ts';
import { type Client, sql } from '../../../shared/db.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/domain/parcel-fields.ts';
import type { RunCounts } from '../../../shared/runs.ts';
import { readUnread } from '../../formats/features.ts';
import type { RowBatch, SourceRow } from '../../formats/rows.ts';
import type { MappedParcel } from '../map/parcel.ts';
import { addCounts } from '../run/counts.ts';
import { type RejectWriter, rawText } from '../run/stage-schema.ts';
import { DERIVED_COLUMNS, derivation, type ZipCounties } from './derive.ts';
import { SeenKeys } from './hash.ts';
import { type ParcelTerms, type PlacedParcel, rollLine } from './parcel-batch.ts';
import { stagedBatches } from './staged-batches.ts';

/** Connections with the run's staging schema on their search path: one a COPY, one for what comes between. */
export type ParcelStage = {
  roll: Client;
  shape: Client;
  raw: Client;
  rejects: RejectWriter;
  counts: RunCounts;
};

const ROLL_COLUMNS = [
  ...['input', 'row_no', 'fips', 'key', 'hash', 'sale', 'prior'],
  ...DERIVED_COLUMNS,
  ...PARCEL_FIELD_NAMES,
].join(', ');
const COPY_ROLL = `copy stage_roll (${ROLL_COLUMNS}) from stdin`;
export const COPY_SHAPE =
  'copy stage_shape (input, row_no, fips, key, hash, location, extent, calculated_acres, boundary) from stdin';

/** Stages the rows of one input; with `complete` they are completed by what further rolls say before they are written. */
export async function stageParcels(
  batches: AsyncIterable<RowBatch>,
  terms: Omit<ParcelTerms, 'incomplete'>,
  { roll: rollClient, shape: shapeClient, raw, rejects, counts }: ParcelStage,
  complete?: (rows: readonly MappedParcel[]) => Promise<void>,
): Promise<void> {
  const roll = openCopy(rollClient, COPY_ROLL);
  const shape = openCopy(shapeClient, COPY_SHAPE);
  const seen = new SeenKeys();
  const derive = derivation(terms.zipCounties);
  counts.read[terms.name] = 0;
  const incomplete = complete !== undefined;
  for await (const [batch, staged] of stagedBatches(batches, { ...terms, incomplete })) {
    addCounts(counts, staged.counts);
    for (const reject of staged.rejects) rejects.add(reject);
    for (const lines of staged.roll) roll.writeLines(lines);
    for (const lines of staged.shape) shape.writeLines(lines);
    const repeats = staged.keys.flatMap(([i, key]) => (seen.add(key) ? [i] : []));
    if (repeats.length > 0) await keepRaw(raw, repeats, [...readUnread(batch, [])]);
    await complete?.(staged.incomplete.map(({ parcel }) => parcel));
    for (const { rowNo, parcel } of staged.incomplete) roll.write(rollLine(0, rowNo, parcel, derive, counts));
    await Promise.all([roll.drain(), shape.drain(), rejects.drain()]);
  }
  await Promise.all([roll.end(), shape.end()]);
}

/** Stages parcels that are there already, as rows of the roll. */
export async function stageMapped(
  batches: AsyncIterable<readonly PlacedParcel[]>,
  zipCounties: ZipCounties,
  { roll, counts }: Pick<ParcelStage, 'roll' | 'counts'>,
): Promise<void> {
  const copy = openCopy(roll, COPY_ROLL);
  const derive = derivation(zipCounties);
  for await (const parcels of batches) {
    for (const { rowNo, parcel } of parcels) copy.write(rollLine(0, rowNo, parcel, derive, counts));
    await copy.drain();
  }
  await copy.end();
}

async function keepRaw(client: Client, places: number[], all: SourceRow[]): Promise<void> {
  const rows = places.map(place => all[place]!);
  await client.query(sql('roll/keep_raw_rows'), [
    rows.map(({ rowNo }) => rowNo),
    rows.map(({ values, geometry }) => rawText(values, geometry)),
  ]);
}
