import type { Geometry } from 'geojson';
import type { RunCounts } from '../../../../shared/feeds/ingest-runs.ts';
import { ownerFacts } from '../../../../shared/kernels/owner/owner-facts.ts';
import {
  type FieldValue,
  PARCEL_FIELD_NAMES,
  type ParcelField,
} from '../../../../shared/model/parcel-fields.ts';
import { copyBytes, copyValue, openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { stateOfFips } from '../../../../shared/regions/states.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import { positionsOf } from '../../engine/map-fields.ts';
import { digest, SeenKeys } from '../../engine/row-hash.ts';
import { countFilled, increment } from '../../engine/run-counts.ts';
import {
  type Faults,
  type RejectWriter,
  type RowInput,
  rawText,
  stageRows,
} from '../../engine/stage-rows.ts';
import type { MappedParcel } from './map-parcel.ts';
import { NO_GEOMETRY, stageGeometry } from './stage-boundary.ts';

/**
 * Staged columns for facts that are derived from a row, with the name of each fact. They follow the owner's
 * keys.
 */
const FACTS = {
  corporate_owner: 'corporate',
  hoa_owner: 'hoa',
  out_of_state_owner: 'outOfState',
  out_of_county_owner: 'outOfCounty',
  out_of_zip_owner: 'outOfZip',
  lives_there: 'ownerOccupied',
} as const;
const FACT_NAMES = Object.values(FACTS);

const DERIVED_COLUMNS = ['owner_key', 'place_key', ...Object.keys(FACTS)];

/**
 * Part of every row's digest. Increase it when a derivation changes, so that the next run rewrites parcels.
 */
export const DERIVATION = 3;

/** Derives the COPY columns that owner filters use. Values are in the order of PARCEL_FIELD_NAMES. */
export type DeriveColumns = (values: FieldValue[], fips: number) => string;

const AT = positionsOf(PARCEL_FIELD_NAMES);

/** For each ZIP code, the county with most of its addresses. */
type ZipCounties = ReadonlyMap<string, number>;

export async function readZipCounties(db: Db): Promise<ZipCounties> {
  const rows = await db.run<{ zip: string; fips: number }>('regions/list_zip_counties');
  return new Map(rows.map(({ zip, fips }) => [zip, fips]));
}

const key = (text: string | null): string => (text === null ? '\\N' : digest(text));

export function derivation(counties: ZipCounties): DeriveColumns {
  const countyOfZip = (zip: string) => counties.get(zip) ?? null;

  return (values, fips) => {
    const text = (field: ParcelField) => values[AT[field]] as string | null;
    // Use a plain literal. Building the object from spreads took 5 of the 20 microseconds for staging a row.
    const facts = ownerFacts(
      {
        fips,
        countyState: stateOfFips(fips) ?? null,
        ownerName: text('owner_name'),
        mailAddress: text('mail_address'),
        mailCity: text('mail_city'),
        mailState: text('mail_state'),
        mailZip: text('mail_zip'),
        situsAddress: text('situs_address'),
        situsState: text('situs_state'),
        situsZip: text('situs_zip'),
        ownerOccupied: values[AT.owner_occupied] as boolean | null,
      },
      countyOfZip,
    );
    return [
      key(facts.ownerKeyText),
      key(facts.placeKeyText),
      ...FACT_NAMES.map(name => copyValue(facts[name])),
    ].join('\t');
  };
}

type ParcelRows = RowInput<MappedParcel> & {
  name: 'roll' | 'shape';
  derive: DeriveColumns;
  /** Whether any attributes are mapped. A geometry file may have none. */
  hasAttributes: boolean;
  /** Completes the parcels of a batch from additional rolls, before they are written. */
  complete?: (rows: readonly MappedParcel[]) => Promise<void>;
};

export type PlacedParcel = { rowNo: number; parcel: MappedParcel };

/**
 * Connections with the run's staging schema on their search path: one per COPY, and one for statements in
 * between.
 */
type ParcelStage = {
  roll: Db;
  shape: Db;
  raw: Db;
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
  'book',
  'several',
  'prior',
  ...DERIVED_COLUMNS,
  ...PARCEL_FIELD_NAMES,
].join(', ');
export const COPY_ROLL = `copy stage_roll (${ROLL_COLUMNS}) from stdin`;
export const COPY_SHAPE =
  'copy stage_shape (input, row_no, fips, key, hash, location, extent, calculated_acres, boundary) from stdin';

/**
 * Maps, validates, measures, and stages the rows of one input. Unusable rows are rejected. Unusable values
 * and geometries become null and are also recorded as rejects. In a geometry file, a row without geometry is
 * rejected, and a row's attributes are used only if the roll has no row with its key.
 */
export async function stageParcels(input: ParcelRows, stage: ParcelStage): Promise<void> {
  const { derive, complete } = input;
  const { counts } = stage;
  const roll = openCopy(stage.roll, COPY_ROLL);
  const shape = openCopy(stage.shape, COPY_SHAPE);
  const second = input.name === 'shape';
  const number = second ? 1 : 0;
  const seen = new SeenKeys();
  const repeats: SourceRow[] = [];
  const incomplete: PlacedParcel[] = [];

  function stageRow(parcel: MappedParcel, row: SourceRow, faults: Faults): void {
    const { key, fips, dropped } = parcel;
    const place = `${number}\t${row.rowNo}\t${fips}\t${copyValue(key)}`;
    const fault = stageShape(row.geometry, place, shape, counts);
    if (fault && second) {
      faults.reject(row, fault);
      return;
    }
    if (fault && row.geometry) faults.drop(row, fault);
    if (!input.hasAttributes) return;
    for (const value of dropped ?? []) faults.drop(row, value);
    if (!second && seen.add(`${fips}/${key}`)) repeats.push(row);
    if (complete) incomplete.push({ rowNo: row.rowNo, parcel });
    else roll.write(rollLine(number, row.rowNo, parcel, derive, counts));
  }

  await stageRows(input, stage, stageRow, async () => {
    await keepRaw(stage.raw, repeats.splice(0));
    await complete?.(incomplete.map(({ parcel }) => parcel));
    for (const { rowNo, parcel } of incomplete.splice(0))
      roll.write(rollLine(0, rowNo, parcel, derive, counts));
    await Promise.all([roll.drain(), shape.drain()]);
  });
  await Promise.all([roll.end(), shape.end()]);
}

/** Stages existing parcels as rows of the roll. */
export async function stageMapped(
  batches: AsyncIterable<readonly PlacedParcel[]>,
  derive: DeriveColumns,
  { roll, counts }: Pick<ParcelStage, 'roll' | 'counts'>,
): Promise<void> {
  const copy = openCopy(roll, COPY_ROLL);
  for await (const parcels of batches) {
    for (const { rowNo, parcel } of parcels) copy.write(rollLine(0, rowNo, parcel, derive, counts));
    await copy.drain();
  }
  await copy.end();
}

/** A COPY line for stage_roll, from the roll (0) or a geometry file (1). Also counts the filled fields. */
function rollLine(
  input: 0 | 1,
  rowNo: number,
  parcel: MappedParcel,
  derive: DeriveColumns,
  counts: RunCounts,
): string {
  const { key, fips, values, sale, deed, prior } = parcel;
  countFilled(counts.filled, FILLED_NAMES[input], values);
  const attributes = values.map(copyValue).join('\t');
  const hash = digest(`${DERIVATION}\t${sale}\t${attributes}`);
  const cells = [sale, deed.book, deed.several].map(copyValue).join('\t');
  const earlier = copyValue(prior && JSON.stringify(prior));
  return `${input}\t${rowNo}\t${fips}\t${copyValue(key)}\t${hash}\t${cells}\t${earlier}\t${derive(values, fips)}\t${attributes}`;
}

const FILLED_NAMES = [PARCEL_FIELD_NAMES, PARCEL_FIELD_NAMES.map(name => `shape.${name}`)] as const;

/** @param place input, row number, county, and key, as COPY text @returns why the shape can't be used */
export function stageShape(
  geometry: Geometry | null,
  place: string,
  lines: { write(line: string): void },
  counts: RunCounts,
) {
  if (geometry === null) return NO_GEOMETRY;
  const shape = stageGeometry(geometry);
  if (!shape.ok) return { field: 'geometry', reason: `geometry_${shape.reason}`, message: shape.message };
  for (const repair of shape.repairs) increment(counts.repaired, repair);
  const { hash, location, extent, acres, boundary } = shape.staged;
  lines.write(
    `${place}\t${hash}\t${location}\t${extent}\t${copyValue(acres)}\t${boundary ? copyBytes(boundary) : copyValue(null)}`,
  );
  return null;
}

async function keepRaw(db: Db, rows: readonly SourceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.run('feeds/keep_raw_rows', {
    row_numbers: rows.map(({ rowNo }) => rowNo),
    texts: rows.map(({ values, geometry }) => rawText(values, geometry)),
  });
}
