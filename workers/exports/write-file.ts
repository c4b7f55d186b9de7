import { readCopy } from '../../shared/base/copy.ts';
import {
  asReads,
  type Client,
  compose,
  inlined,
  literal,
  type Pool,
  snapshot,
  statement,
} from '../../shared/base/db.ts';
import { columnsOf, SOURCES_COLUMN } from '../../shared/exports/export-columns.ts';
import type { ExportRequest } from '../../shared/exports/export-request.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import type { Selection } from '../../shared/parcels/filter/filter-selection.ts';
import { selectParcels } from '../../shared/parcels/filter/select-parcels.ts';
import { columnSql } from './column-sql.ts';
import { creditOf } from './credits.ts';
import { type FileRow, type FileWriter, placeOf } from './file-writer.ts';
import { loadFormat } from './load-format.ts';
import { readTextRows, type TextRow } from './read-rows.ts';

/** Rows that are read by one statement, and a row group of GeoParquet: some 30 MB of texts. */
const BATCH = 20_000;
/** Rows that are written at once. A part ends behind some, so the same rows make the same parts. */
const AT_ONCE = 1_000;

/** The parcels of a county that a file has, in the order of their ids. */
export type CountyRows = { fips: number; ids: Float64Array; versions: Float64Array };

export type FileOptions = {
  pool: Pool;
  request: ExportRequest;
  /** The moment that months and years are counted from. */
  asOf: Date;
  signal: AbortSignal;
  progress(share: number, note: string): void;
  /** Takes the bytes of the file in their order. */
  keep(bytes: Uint8Array): Promise<void>;
};

/**
 * Writes a file of parcels, county by county, each as of one moment.
 * @returns which rows it has, for the bill
 */
export async function writeFile({ pool, request, asOf, ...options }: FileOptions): Promise<CountyRows[]> {
  const { format, columns: names, boundary = format !== 'csv' && format !== 'xlsx' } = request;
  const columns = columnsOf(names);
  const openFile = await loadFormat(format);
  const writer = openFile(columns, boundary);
  const selection = await selectParcels(
    filterSchema.parse(request.filter) as FilterBody,
    asOf,
    asReads(pool),
  );
  const { from, where, values } = selection;
  const { rows: counties } = await pool.query<{ fips: number; rows: number }>(
    statement('exports/list_county_hits', values, { from, where }),
  );
  const total = counties.reduce((sum, county) => sum + county.rows, 0);
  const sqlOf = columnSql(asOf);
  const read = [
    'p.property_id',
    'p.location[0]',
    'p.location[1]',
    boundary ? "encode(p.boundary, 'hex')" : 'null',
    ...columns.flatMap(({ name }) => (name === SOURCES_COLUMN ? [] : [sqlOf(name)])),
  ].join(', ');
  const all: CountyRows[] = [];
  let done = 0;
  for (const { fips } of counties) {
    const credit = await creditOf(pool, fips);
    const rows = await snapshot(pool, async client => {
      const keys = await readKeys(client, selection, fips);
      for (const ids of batchesOf(keys, format === 'geoparquet')) {
        options.signal.throwIfAborted();
        const text = compose('exports/copy_rows', {
          columns: read,
          fips: literal(fips),
          ids: literal(ids),
        });
        await writeBatch(writer, readTextRows(client, text), credit, options.keep);
        done += ids.length;
        options.progress(total === 0 ? 1 : done / total, `${done} of ${total} rows`);
      }
      return { fips, ids: keys.ids, versions: keys.versions };
    });
    all.push(rows);
  }
  await options.keep(writer.end());
  return all;
}

type Keys = Omit<CountyRows, 'fips'> & { xs: Float64Array; ys: Float64Array };

async function readKeys(client: Client, { from, where, values }: Selection, fips: number): Promise<Keys> {
  const places = { from: inlined(from, values), where: inlined(where, values), fips: literal(fips) };
  const { columns } = await readCopy(client, compose('exports/copy_keys', places), {
    ids: { type: 'int8', null: 0 },
    versions: { type: 'int8', null: 0 },
    xs: { type: 'float8', null: Number.NaN },
    ys: { type: 'float8', null: Number.NaN },
  });
  return columns;
}

/** Ids in their order; for GeoParquet each batch lies together, along the Hilbert curve. */
function* batchesOf({ ids, xs, ys }: Keys, nearby: boolean): Generator<number[]> {
  const order = nearby ? hilbertOrder(xs, ys) : undefined;
  for (let from = 0; from < ids.length; from += BATCH) {
    if (order === undefined) yield [...ids.subarray(from, from + BATCH)];
    else yield Array.from(order.subarray(from, from + BATCH), at => ids[at]!);
  }
}

async function writeBatch(
  writer: FileWriter,
  batches: AsyncIterable<TextRow[]>,
  credit: string,
  keep: FileOptions['keep'],
): Promise<void> {
  let waiting: FileRow[] = [];
  for await (const batch of batches)
    for (const [id, x, y, boundary, ...cells] of batch) {
      cells.push(credit);
      waiting.push({ id: id!, cells, place: placeOf(x!, y!, boundary!) });
      if (waiting.length < AT_ONCE) continue;
      await keep(writer.write(waiting));
      waiting = [];
    }
  await keep(writer.write(waiting));
  if (writer.endBatch !== undefined) await keep(writer.endBatch());
}
