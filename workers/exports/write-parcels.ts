import { SOURCES_COLUMN } from '../../shared/exports/export-columns.ts';
import { mostRows } from '../../shared/exports/export-request.ts';
import { findListOf, type Hits, hitsOfList, hitsOfOwners } from '../../shared/exports/parcel-hits.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import type { ListRecord } from '../../shared/lists/list-terms.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import { selectParcels } from '../../shared/parcels/filter/select-parcels.ts';
import { readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { compose, inlined, literal } from '../../shared/platform/statements.ts';
import { columnSql } from './column-sql.ts';
import { creditOf } from './credits.ts';
import {
  COPIED_BEFORE,
  type Copied,
  type CountyRows,
  type FileOptions,
  type FileRow,
  placeOf,
  type Sink,
  type Written,
} from './file-writer.ts';
import { type ListCells, readListCells } from './list-cells.ts';
import { readLines, rowsOf, type TextRow } from './read-rows.ts';

/** Rows that one statement reads, and a row group of GeoParquet: about 30 MB of texts. */
const BATCH = 20_000;

/** Selects the parcels of a file. */
type Choice = {
  counties: { fips: number; rows: number }[];
  /** A query of their ids in a county. */
  hitOf(fips: number): string;
  /** Facts about a parcel in the file other than its own columns. */
  readCells?(db: Db, ids: readonly number[], names: ReadonlySet<string>): Promise<Map<number, ListCells>>;
};

/** Writes parcels county by county, each as of one moment. */
export async function writeParcels(options: FileOptions, sink: Sink): Promise<Written> {
  const { db, request, asOf } = options;
  const choice = await chooseParcels(options);
  const total = choice.counties.reduce((sum, county) => sum + county.rows, 0);
  const reader = rowReader(asOf, sink);
  const parcels: CountyRows[] = [];
  for (const { fips } of choice.counties) {
    const credit = await creditOf(db, fips);
    const rows = await db.snapshot(async tx => {
      // Writing rows between two statements can take seconds on a busy machine. The transaction holds no lock
      // that another process waits for.
      await tx.execute("set local idle_in_transaction_session_timeout = '5min'");
      const keys = await readKeys(tx, choice.hitOf(fips), fips);
      const read = async (ids: readonly number[]): Promise<Batch> => {
        const cells = await choice.readCells?.(tx, ids, reader.others);
        return { lines: await reader.read(tx, fips, ids), facts: { credit, cells }, count: ids.length };
      };
      const batches = batchesOf(keys, request.format === 'geoparquet');
      for await (const batch of readAhead(batches, read))
        await sink.write(reader.toRows(batch), batch.count, total);
      return { fips, ids: keys.ids, versions: keys.versions };
    });
    parcels.push(rows);
  }
  return { rows: parcels.reduce((sum, { ids }) => sum + ids.length, 0), parcels, others: [] };
}

async function chooseParcels({ db, request, companyId, asOf }: FileOptions): Promise<Choice> {
  if (request.list_id !== undefined) {
    const list = await findListOf(db, companyId!, request.list_id);
    if (list === undefined) throw listGone();
    const { status, one_per_owner: onePerOwner } = request;
    return keptParcels(db, await hitsOfList(db, list, { companyId: companyId!, status, onePerOwner }), list);
  }
  const body = filterSchema.parse(request.filter) as FilterBody;
  const selection = await selectParcels(body, { asOf, companyId, work: COMPUTE_HERE }, db);
  if (request.one_per_owner)
    return keptParcels(db, hitsOfOwners(selection, companyId!, mostRows('csv') + 1), null);
  const { from, where, values } = selection;
  const rows = await db.run<{ fips: number; rows: number }>('exports/list_county_hits', values, {
    from,
    where,
  });
  const found = [inlined(from, values), inlined(where, values)] as const;
  return {
    counties: rows,
    hitOf: fips => `select f.property_id from ${found[0]} where (${found[1]}) and f.fips = ${literal(fips)}`,
  };
}

const listGone = () =>
  new PlatError('validation_error', 'Rejected: list_id. See details for the reasons.', {
    details: { list_id: ['was deleted in the meantime'] },
  });

/** Parcels selected across counties, as of one moment, before their rows are read. */
async function keptParcels(db: Db, { hits, values }: Hits, list: ListRecord | null): Promise<Choice> {
  const { columns } = await db.snapshot(tx =>
    readCopy(tx, inlined(compose('exports/copy_kept', { hits }), values), {
      ids: { type: 'int8', null: 0 },
      parcels: { type: 'int8', null: 0 },
      acres: { type: 'float8', null: Number.NaN },
    }),
  );
  const { ids, parcels, acres } = columns;
  const counties = new Map<number, number>();
  for (const id of ids) counties.set(countyOf(id), (counties.get(countyOf(id)) ?? 0) + 1);
  const of = new Map(Array.from(ids, (id, at) => [id, at]));
  return {
    counties: [...counties].map(([fips, rows]) => ({ fips, rows })),
    hitOf: fips =>
      `select unnest(${literal([...ids].filter(id => countyOf(id) === fips))}::bigint[]) as property_id`,
    async readCells(db, batch, names) {
      const cells =
        list === null ? new Map<number, ListCells>() : await readListCells(db, list, batch, names);
      return new Map(
        batch.map(id => {
          const at = of.get(id)!;
          const owner_acres = Number.isNaN(acres[at]!) ? '' : String(Math.round(acres[at]! * 100) / 100);
          return [id, { ...cells.get(id), owner_parcels: String(parcels[at]), owner_acres }];
        }),
      );
    },
  };
}

type Keys = Omit<CountyRows, 'fips'> & { xs: Float64Array; ys: Float64Array };

async function readKeys(db: Db, hit: string, fips: number): Promise<Keys> {
  const { columns } = await readCopy(db, compose('exports/copy_keys', { hit, fips: literal(fips) }), {
    ids: { type: 'int8', null: 0 },
    versions: { type: 'int8', null: 0 },
    xs: { type: 'float8', null: Number.NaN },
    ys: { type: 'float8', null: Number.NaN },
  });
  return columns;
}

/** Ids in order. For GeoParquet, each batch is close together along the Hilbert curve. */
function* batchesOf({ ids, xs, ys }: Keys, nearby: boolean): Generator<number[]> {
  const order = nearby ? hilbertOrder(xs, ys) : undefined;
  for (let from = 0; from < ids.length; from += BATCH) {
    if (order === undefined) yield [...ids.subarray(from, from + BATCH)];
    else yield Array.from(order.subarray(from, from + BATCH), at => ids[at]!);
  }
}

type BatchFacts = { credit: string; cells: Map<number, ListCells> | undefined };

/** COPY lines, 1,000 at a time, with their extra cells. */
type Batch = { lines: Buffer[]; facts: BatchFacts; count: number };

/** Reads the items in order, each while the previous one is used. */
async function* readAhead<Of, Read>(
  all: Iterable<Of>,
  read: (one: Of) => Promise<Read>,
): AsyncGenerator<Read> {
  let reading: Promise<Read> | undefined;
  try {
    for (const one of all) {
      const before = await reading;
      reading = read(one);
      // The next code that awaits it reports the error.
      reading.catch(() => {});
      if (before !== undefined) yield before;
    }
    if (reading !== undefined) yield await reading;
  } finally {
    // A reader that stops has the connection to itself.
    await reading?.catch(() => {});
  }
}

/**
 * Reads rows with the cells of the file's columns. `others`: columns that don't come from the parcel itself.
 */
function rowReader(asOf: Date, { columns, boundary, copies }: Sink) {
  const sqlOf = columnSql(asOf);
  const own = columns.map(({ name }) => sqlOf(name));
  const read = [
    'p.property_id',
    'p.location[0]',
    'p.location[1]',
    boundary ? "encode(p.boundary, 'hex')" : 'null',
    ...own.filter(sql => sql !== undefined),
  ].join(', ');
  const others = new Set(columns.flatMap(({ name }, i) => (own[i] === undefined ? [name] : [])));
  const onlyOwn = others.size === 1;

  function toRow(row: TextRow, { credit, cells: extraCells }: BatchFacts): FileRow {
    const [id, x, y, boundary] = row as [string, string, string, string];
    const place = placeOf(x, y, boundary);
    // The sources column is last.
    const cells = row.slice(COPIED_BEFORE);
    cells.push(credit);
    if (onlyOwn) return { id, cells, place };
    const more = extraCells?.get(Number(id));
    let at = 0;
    return {
      id,
      cells: columns.map(({ name }, i) =>
        own[i] === undefined && name !== SOURCES_COLUMN ? (more?.[name] ?? '') : cells[at++]!,
      ),
      place,
    };
  }
  return {
    others,
    async read(db: Db, fips: number, ids: readonly number[]): Promise<Buffer[]> {
      const text = compose('exports/copy_rows', {
        columns: read,
        fips: literal(fips),
        ids: literal(ids),
        least: literal(ids.reduce((least, id) => Math.min(least, id))),
        most: literal(ids.reduce((most, id) => Math.max(most, id))),
      });
      const batch: Buffer[] = [];
      for await (const lines of readLines(db, text)) batch.push(lines);
      return batch;
    },
    *toRows({ lines: all, facts }: Batch): Generator<FileRow[] | Copied> {
      for (const lines of all) {
        if (copies && onlyOwn) yield { lines, credit: facts.credit };
        else yield rowsOf(lines).map(row => toRow(row, facts));
      }
    },
  };
}
