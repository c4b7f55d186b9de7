import { OVERLAY_COLUMN, SOURCES_COLUMN } from '../../shared/exports/export-columns.ts';
import { mostRows, needsOffer, rowsPerOf } from '../../shared/exports/export-request.ts';
import { type ListMembers, readMembersOf, readOffersOf } from '../../shared/exports/list-members.ts';
import { findListOf, type Hits, hitsOfList, hitsOfOwners } from '../../shared/exports/parcel-hits.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { isoDay, utcDay } from '../../shared/kernels/stats/calendar.ts';
import { isGrouped, type ListRecord } from '../../shared/lists/list-terms.ts';
import { listPricedRows } from '../../shared/lists/read-offers.ts';
import { MAX_ACRES_RATIO, PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import { measuredAcresSql, statedAcresSql } from '../../shared/model/shown-acres.ts';
import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import { selectParcels } from '../../shared/parcels/filter/select-parcels.ts';
import { readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { compose, inlined, literal } from '../../shared/platform/statements.ts';
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
import { readLines, rowsOf, type TextRow } from './read-rows.ts';

/** Rows per statement and per GeoParquet row group. They take about 30 MB as text. */
const BATCH = 20_000;

type Choice = {
  counties: { fips: number; count: number }[];
  /** SQL that selects the ids in a county. */
  hitOf(fips: number): string;
  /** Cells that don't come from the parcel itself, such as list notes. */
  readCells?(db: Db, ids: readonly number[], names: ReadonlySet<string>): Promise<Map<number, ListCells>>;
};

/** Writes parcels county by county, each as of one moment. */
export async function writeParcels(options: FileOptions, sink: Sink): Promise<Written> {
  const { db, request, asOf } = options;
  const choice = await chooseParcels(options);
  const total = choice.counties.reduce((sum, county) => sum + county.count, 0);
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
    const found = await findListOf(db, companyId!, request.list_id);
    if (found === undefined) throw listGone();
    const list = { ...found, ...rowsPerOf(request, found) };
    const among = needsOffer(request) ? await listPricedRows(db, companyId!, list) : undefined;
    const hits = await hitsOfList(db, list, { companyId: companyId!, status: request.status, among });
    return listParcels(list, await db.snapshot(tx => readMembersOf(tx, hits)));
  }
  const body = filterSchema.parse(request.filter) as FilterBody;
  const selection = await selectParcels(body, { asOf, companyId, work: COMPUTE_HERE }, db);
  const rowsPer = rowsPerOf(request);
  if (isGrouped(rowsPer))
    return ownersParcels(db, hitsOfOwners(selection, companyId!, rowsPer, mostRows('csv') + 1));
  const { from, where, values } = selection;
  const fragments = { from, where };
  const counties = await db.run<{ fips: number; count: number }>(
    'parcels/count_by_county',
    values,
    fragments,
  );
  const found = [inlined(from, values), inlined(where, values)] as const;
  return {
    counties,
    hitOf: fips => `select f.property_id from ${found[0]} where (${found[1]}) and f.fips = ${literal(fips)}`,
  };
}

export const listGone = () =>
  new PlatError('validation_error', 'Rejected: list_id. See details for the reasons.', {
    details: { list_id: ['was deleted in the meantime'] },
  });

/** Rows chosen across counties, as of one moment, before their parcels are read. */
function choiceOf(ids: ArrayLike<number>, readCells: Required<Choice>['readCells']): Choice {
  const all = Array.from(ids);
  const counties = new Map<number, number>();
  for (const id of all) counties.set(countyOf(id), (counties.get(countyOf(id)) ?? 0) + 1);
  return {
    counties: [...counties].map(([fips, count]) => ({ fips, count })),
    hitOf: fips =>
      `select unnest(${literal(all.filter(id => countyOf(id) === fips))}::bigint[]) as property_id`,
    readCells,
  };
}

const totalsOf = (parcels: number, acres: number): ListCells => ({
  owner_parcels: String(parcels),
  owner_acres: Number.isNaN(acres) ? '' : String(Math.round(acres * 100) / 100),
});

async function ownersParcels(db: Db, { hits, values }: Hits): Promise<Choice> {
  const { columns } = await db.snapshot(tx =>
    readCopy(tx, inlined(compose('exports/copy_kept', { hits }), values), {
      ids: { type: 'int8', null: 0 },
      parcels: { type: 'int8', null: 0 },
      acres: { type: 'float8', null: Number.NaN },
    }),
  );
  const { ids, parcels, acres } = columns;
  const places = new Map(Array.from(ids, (id, at) => [id, at]));
  return choiceOf(ids, async (_db, batch) => {
    const cellsOf = (at: number) => totalsOf(parcels[at]!, acres[at]!);
    return new Map(batch.map(id => [id, cellsOf(places.get(id)!)]));
  });
}

function listParcels(list: ListRecord, members: ListMembers): Choice {
  return choiceOf(members.rowIds, async (db, batch, names) => {
    const cells = await readListCells(db, list, members, batch, names);
    return new Map(
      batch.map(id => {
        const [at] = members.rangeOf(id);
        return [id, { ...cells.get(id), ...totalsOf(members.parcels[at]!, members.acres[at]!) }];
      }),
    );
  });
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

/** Reads the items in order, each while the previous one is being used. */
async function* readAhead<Of, Read>(
  all: Iterable<Of>,
  read: (one: Of) => Promise<Read>,
): AsyncGenerator<Read> {
  let reading: Promise<Read> | undefined;
  try {
    for (const one of all) {
      const before = await reading;
      reading = read(one);
      // The next `await` reports the error.
      reading.catch(() => {});
      if (before !== undefined) yield before;
    }
    if (reading !== undefined) yield await reading;
  } finally {
    // If the reader stops early, wait for the pending read, because it uses the same connection.
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

const FILTERED = [
  'out_of_state_owner',
  'out_of_county_owner',
  'out_of_zip_owner',
  'corporate_owner',
  'hoa_owner',
  'landlocked',
  'waterfront',
  'waterfront_ft',
  'wetlands_percent',
  'flood_zone_percent',
  'highway_frontage_ft',
  'road_frontage_ft',
  'local_frontage_ft',
  'buildable_acres',
  'buildable_percent',
  'buildable_patch_acres',
];
const MEASURED = [
  'water_name',
  'mean_slope_percent',
  'min_elevation_m',
  'mean_elevation_m',
  'max_elevation_m',
];

/**
 * A column as SQL over `p` parcels, `f` parcel_filters, `a` parcel_attributes, and `g` assemblages, in the
 * API's format.
 * Returns undefined for columns that parcels don't have.
 */
export function columnSql(asOf: Date): (name: string) => string | undefined {
  const day = `date ${literal(isoDay(utcDay(asOf.getTime())))}`;
  const computed: Record<string, string> = {
    property_id: 'p.property_id',
    fips: "lpad(p.fips::text, 5, '0')",
    longitude: 'p.location[0] / 1e7',
    latitude: 'p.location[1] / 1e7',
    acres: statedAcresSql('p'),
    calculated_acres: measuredAcresSql('p'),
    effective_acres: `coalesce(${statedAcresSql('p')}, ${measuredAcresSql('p')})`,
    owner_occupied: 'coalesce(f.owner_occupied, p.owner_occupied)',
    acres_mismatch: `case when p.acres > 0 and p.calculated_acres > 0
      then greatest(p.acres / p.calculated_acres, p.calculated_acres / p.acres) > ${MAX_ACRES_RATIO} end`,
    improvement_percent: 'round(f.improvement_percent::numeric, 2)::float8',
    tax_delinquent_years: `case when p.tax_delinquent is not false
      then extract(year from ${day})::int - p.tax_delinquent_year end`,
    ownership_months: `12 * (extract(year from ${day}) - extract(year from p.last_sale_date))::int
      + (extract(month from ${day}) - extract(month from p.last_sale_date))::int
      - (extract(day from p.last_sale_date) > extract(day from ${day}))::int`,
    assemblage_id: 'g.assemblage_id',
    assemblage_parcels: 'g.parcels',
    assemblage_acres: 'g.acres',
    touching_parcels: 'g.touching_parcels',
    touching_acres: 'g.touching_acres',
    access: "coalesce(f.access, 'unknown')",
    ...Object.fromEntries(FILTERED.map(name => [name, `f.${name}`])),
    ...Object.fromEntries(MEASURED.map(name => [name, `a.${name}`])),
  };
  return name => computed[name] ?? overlaySql(name) ?? (name in PARCEL_FIELDS ? `p.${name}` : undefined);
}

/** A column of an overlay. If the overlay has nothing on a parcel that it covers, the share is 0. */
function overlaySql(name: string): string | undefined {
  const [, overlay, figure] = OVERLAY_COLUMN.exec(name) ?? [];
  if (overlay === undefined) return undefined;
  const value =
    figure === undefined
      ? 'o.classes[1]'
      : figure === 'percent'
        ? 'coalesce(o.percents[1], 0)'
        : 'o.nearest_ft';
  return `(select ${value} from parcel_overlays o
    where o.fips = p.fips and o.overlay = ${literal(overlay)} and o.property_id = a.property_id)`;
}

type ListCells = Record<string, string>;

const PRICE_COLUMNS = ['value', 'offer', 'offer_high', 'offer_source', 'offer_parcels', 'needs_review'];

type RowState = { property_id: number; status: string; status_at: Date | null; tags: string[] };

async function readListCells(
  db: Db,
  list: ListRecord,
  members: ListMembers,
  ids: readonly number[],
  names: ReadonlySet<string>,
): Promise<Map<number, ListCells>> {
  const all = new Map<number, ListCells>();
  if (['status', 'status_at', 'tags'].some(name => names.has(name)))
    for (const row of await db.run<RowState>('lists/read_row_states', {
      list_id: list.id,
      property_ids: ids,
    }))
      all.set(row.property_id, {
        status: row.status,
        status_at: row.status_at?.toISOString().slice(0, 10) ?? '',
        tags: row.tags.filter(tag => !mayBeNumber(tag)).join('; '),
      });
  if (PRICE_COLUMNS.some(name => names.has(name)))
    for (const [id, row] of await readOffersOf(db, list, members, ids)) {
      const textOf = (value: number | null) => (value === null ? '' : String(value));
      all.set(id, {
        ...all.get(id),
        value: row.value === null ? '' : String(Math.round(row.value * 100) / 100),
        offer: textOf(row.offer),
        offer_high: textOf(row.offer_high),
        offer_source: row.offer_source ?? '',
        offer_parcels: String(row.offer_parcels),
        needs_review: row.needs_review.join('; '),
      });
    }
  return all;
}

/** Files must not contain phone numbers, which have seven digits or more. */
const mayBeNumber = (text: string): boolean => text.replaceAll(/\D/g, '').length >= 7;
