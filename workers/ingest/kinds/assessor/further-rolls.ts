import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { type FieldValue, PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { type RejectWriter, type RowInput, rejectDuplicates, stageRows } from '../../engine/stage-rows.ts';
import type { Deed, PriorSale } from '../listings/map-sale.ts';
import type { MappedParcel } from './map-parcel.ts';
import { COPY_SHAPE, type PlacedParcel, stageShape } from './stage-parcels.ts';

/*
 * A feed's additional rolls are staged first, by key. They then complete each batch of the first roll. Rows
 * that remain are parcels that aren't on the first roll.
 */

type FurtherRow = {
  fips: number;
  key: string;
  row_no: number;
  sale: boolean;
  deed: Deed;
  prior: PriorSale[] | null;
  values: FieldValue[];
};

const COPY_FURTHER = 'copy stage_further (input, row_no, fips, key, sale, deed, prior, values) from stdin';

/** Row numbers of additional rolls start here, so that no two rows in a run share a number. */
const ROWS_PER_ROLL = 1e9;

export async function stageFurtherRoll(
  input: RowInput<MappedParcel>,
  number: number,
  stage: { roll: Db; shape: Db; rejects: RejectWriter; counts: RunCounts },
): Promise<void> {
  const copy = openCopy(stage.roll, COPY_FURTHER);
  const shape = openCopy(stage.shape, COPY_SHAPE);
  await stageRows(
    input,
    stage,
    ({ key, fips, values, sale, deed, prior, dropped }, row, faults) => {
      const place = ['0', number * ROWS_PER_ROLL + row.rowNo, fips, key].map(copyValue).join('\t');
      const fault = stageShape(row.geometry, place, shape, stage.counts);
      if (fault && row.geometry) faults.drop(row, fault);
      for (const value of dropped ?? []) faults.drop(row, value);
      const cells = [number, row.rowNo, fips, key, sale];
      const encoded = [JSON.stringify(deed), prior && JSON.stringify(prior), JSON.stringify(values)];
      copy.write([...cells, ...encoded].map(copyValue).join('\t'));
    },
    () => Promise.all([copy.drain(), shape.drain()]),
  );
  await Promise.all([copy.end(), shape.end()]);
}

/** If rows of an additional roll share a key, the first is used. The others are identical or rejected. */
const REPEATS = {
  table: 'stage_further',
  key: 'input, fips, key',
  order: 'row_no',
  compared: 'values',
  input: "format('roll %s', d.input + 1)",
  field: 'key',
  reason: 'duplicate_key',
  raw: 'd.values::text',
  message: "format('Key %s is also in row %s, with other values. Plat keeps that row.', d.key, d.kept_row)",
};

export async function completeFromFurtherRolls(db: Db, run: RunContext): Promise<void> {
  await rejectDuplicates(db, run, 'feeds/set_repeats_aside', REPEATS);
  await db.run('feeds/index_further');
  await db.execute('analyze stage_further');
}

export async function completeRows(db: Db, rows: readonly MappedParcel[]): Promise<void> {
  if (rows.length === 0) return;
  const found = await db.run<FurtherRow>('feeds/list_further_rows', {
    fips: rows.map(row => row.fips),
    keys: rows.map(row => row.key),
  });
  const byKey = new Map<string, FurtherRow[]>();
  for (const row of found) {
    const name = `${row.fips}/${row.key}`;
    byKey.set(name, [...(byKey.get(name) ?? []), row]);
  }
  for (const row of rows) for (const more of byKey.get(`${row.fips}/${row.key}`) ?? []) complete(row, more);
}

const FETCH = 1_000;

/** Parcels that are only on additional rolls. Each is completed by later rolls. */
export async function* furtherParcels(tx: Db): AsyncGenerator<PlacedParcel[]> {
  let last: PlacedParcel | null = null;
  for await (const rows of tx.batches<FurtherRow>('feeds/list_further_parcels', FETCH)) {
    const parcels: PlacedParcel[] = [];
    for (const row of rows) {
      if (last?.parcel.key === row.key && last.parcel.fips === row.fips) {
        complete(last.parcel, row);
        continue;
      }
      if (last) parcels.push(last);
      last = { rowNo: row.row_no, parcel: { ok: true, ...row, dropped: null } };
    }
    yield parcels;
  }
  if (last) yield [last];
}

const SALE_DATE = PARCEL_FIELD_NAMES.indexOf('last_sale_date');

function complete(row: MappedParcel, more: FurtherRow): void {
  // Take the sale details from the roll that has the sale date.
  if (row.values[SALE_DATE] === null) Object.assign(row, { sale: more.sale, deed: more.deed });
  row.prior ??= more.prior;
  row.values.forEach((value, i) => {
    if (value === null) row.values[i] = more.values[i] ?? null;
  });
}
