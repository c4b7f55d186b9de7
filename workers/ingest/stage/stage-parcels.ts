import { type Client, sql } from '../../../shared/db.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/domain/parcel-fields.ts';
import type { RowBatch, SourceRow } from '../../formats/rows.ts';
import type { ParcelMapper } from '../map/parcel.ts';
import { bump, countFilled, type RunCounts } from '../run/counts.ts';
import { type RejectWriter, rawText } from '../run/rejects.ts';
import { stageBoundary } from './boundary.ts';
import { copyBytes, copyValue, openCopy } from './copy.ts';
import { DERIVATION, DERIVED_COLUMNS, type DeriveColumns } from './derive.ts';
import { digest } from './digest.ts';
import { SeenKeys } from './seen-keys.ts';

/** An input of an assessor feed: its rows, how they map, and what of them is used. */
export type ParcelInput = {
  name: 'roll' | 'shape';
  batches: AsyncIterable<RowBatch>;
  map: ParcelMapper;
  derive: DeriveColumns;
  /** The second file of a two-file roll gives geometry; its attributes only where the roll has no row. */
  fallback: boolean;
  /** Whether attributes are mapped at all (a geometry file may have none). */
  attributes: boolean;
};

/** Connections with the run's staging schema on their search path: one a COPY, one for what comes between. */
export type ParcelStage = {
  roll: Client;
  shape: Client;
  raw: Client;
  rejects: RejectWriter;
  counts: RunCounts;
};

const ROLL_COLUMNS = [
  'input',
  'row_no',
  'fips',
  'key',
  'hash',
  'sale',
  ...DERIVED_COLUMNS,
  ...PARCEL_FIELD_NAMES,
].join(', ');
const COPY_ROLL = `copy stage_roll (${ROLL_COLUMNS}) from stdin`;
const COPY_SHAPE =
  'copy stage_shape (input, row_no, fips, key, hash, location, extent, calculated_acres, boundary) from stdin';

/**
 * Maps, validates and stages the rows of one input. Rows that cannot be used go to the rejects; a value or a
 * geometry that cannot be used is set to null and goes there too, under its own reason.
 */
export async function stageParcels(input: ParcelInput, stage: ParcelStage): Promise<void> {
  const { counts, rejects } = stage;
  const roll = openCopy(stage.roll, COPY_ROLL);
  const shape = openCopy(stage.shape, COPY_SHAPE);
  const repeats: { rowNo: number; raw: string }[] = [];
  const seen = new SeenKeys();
  const number = input.fallback ? 1 : 0;
  const filledNames = input.fallback ? PARCEL_FIELD_NAMES.map(name => `shape.${name}`) : PARCEL_FIELD_NAMES;
  let rows = 0;

  function reject(row: SourceRow, field: string | null, reason: string, message: string): void {
    const raw = rawText(row.values, row.geometry);
    rejects.add({ input: input.name, rowNo: row.rowNo, field, reason, message, raw });
  }

  function stageRow(row: SourceRow): void {
    const mapped = input.map(row);
    if (!mapped.ok) {
      if (mapped.reason === 'skipped') counts.skipped++;
      else {
        bump(counts.rejected, mapped.reason);
        reject(row, mapped.field, mapped.reason, mapped.message);
      }
      return;
    }
    const { key, fips, values, sale, dropped } = mapped;
    const place = `${row.rowNo}\t${fips}\t${copyValue(key)}`;

    if (row.geometry !== null) {
      const boundary = stageBoundary(row.geometry);
      if (boundary.ok) {
        for (const repair of boundary.repairs) bump(counts.repaired, repair);
        const { hash, location, extent, acres, boundary: bytes } = boundary.staged;
        shape.write(`${number}\t${place}\t${hash}\t${location}\t${extent}\t${acres}\t${copyBytes(bytes)}`);
      } else {
        const reason = `geometry_${boundary.reason}`;
        reject(row, 'geometry', reason, boundary.message);
        if (input.fallback) {
          bump(counts.rejected, reason);
          return;
        }
        bump(counts.dropped, 'geometry');
      }
    } else if (input.fallback) {
      bump(counts.rejected, 'geometry_missing');
      reject(
        row,
        'geometry',
        'geometry_missing',
        'The feature has no geometry, and this input exists for its geometry.',
      );
      return;
    }

    if (!input.attributes) return;
    for (const { field, reason, message } of dropped ?? []) {
      bump(counts.dropped, field);
      reject(row, field, reason, message);
    }
    countFilled(counts.filled, filledNames, values);
    if (!input.fallback) {
      if (seen.add(`${fips}/${key}`))
        repeats.push({ rowNo: row.rowNo, raw: rawText(row.values, row.geometry) });
    }
    const attributes = values.map(copyValue).join('\t');
    const hash = digest(`${DERIVATION}\t${sale}\t${attributes}`);
    roll.write(
      `${number}\t${place}\t${hash}\t${sale ? 't' : 'f'}\t${input.derive(values, fips)}\t${attributes}`,
    );
  }

  for await (const batch of input.batches) {
    if (rows === 0) input.map.prepare(batch.rows);
    for (const row of batch.rows) stageRow(row);
    for (const { rowNo, field, reason, message, raw } of batch.bad) {
      bump(counts.rejected, reason);
      rejects.add({ input: input.name, rowNo, field, reason, message, raw });
    }
    rows += batch.rows.length + batch.bad.length;
    counts.read[input.name] = rows;
    await keepRaw(stage.raw, repeats.splice(0));
    await Promise.all([roll.drain(), shape.drain(), rejects.drain()]);
  }
  counts.read[input.name] = rows;
  await Promise.all([roll.end(), shape.end()]);
}

async function keepRaw(client: Client, repeats: { rowNo: number; raw: string }[]): Promise<void> {
  if (repeats.length === 0) return;
  await client.query(sql('roll/keep_raw_rows'), [
    repeats.map(({ rowNo }) => rowNo),
    repeats.map(({ raw }) => raw),
  ]);
}
