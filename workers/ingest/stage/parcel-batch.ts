import type { Geometry } from 'geojson';
import { copyBytes, copyValue, lineWriter } from '../../../shared/copy.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/domain/parcel-fields.ts';
import type { RunCounts } from '../../../shared/runs.ts';
import type { ParcelInput, Sales } from '../../feeds/feed.ts';
import { readUnread } from '../../formats/features.ts';
import type { RowBatch } from '../../formats/rows.ts';
import { compileParcelMapper, type MappedParcel } from '../map/parcel.ts';
import { bump, countFilled, newCounts } from '../run/counts.ts';
import type { Reject } from '../run/stage-schema.ts';
import { stageBoundary } from './boundary.ts';
import { DERIVATION, type DeriveColumns, derivation, type ZipCounties } from './derive.ts';
import { digest } from './hash.ts';
import { mapRows } from './rows.ts';

/** What the batches of one input are staged by: plain data, so that a thread can be sent it. */
export type ParcelTerms = {
  name: 'roll' | 'shape';
  columns: Pick<ParcelInput, 'key' | 'columns' | 'skipWhere'>;
  fips: number | null;
  sales: Sales | null;
  zipCounties: ZipCounties;
  /** The rows are not written, but handed back to be completed by what further rolls say. */
  incomplete: boolean;
};

export type PlacedParcel = { rowNo: number; parcel: MappedParcel };

/** What one batch comes to. */
export type StagedBatch = {
  /** Lines for COPY_ROLL and COPY_SHAPE. */
  roll: Uint8Array[];
  shape: Uint8Array[];
  incomplete: PlacedParcel[];
  /** Of a roll, the place in the batch of each row that is staged, and its county and key. */
  keys: [i: number, key: string][];
  counts: RunCounts;
  rejects: Reject[];
};

export type StageBatch = (batch: RowBatch) => StagedBatch;

/**
 * Maps, validates and measures the rows of one batch after the other: the work of staging that needs no database. Rows that cannot be used go to the
 * rejects, as do single values and geometries, which become null. A geometry file exists for its geometry: a row without one is rejected, and its
 * attributes (it may have none) count only where the roll has no row.
 * @param firstRows the first rows of the input, by which its columns are known
 */
export function openParcelStager(terms: ParcelTerms, firstRows: RowBatch['rows']): StageBatch {
  const { name, columns } = terms;
  const map = compileParcelMapper(columns, terms);
  map.prepare(firstRows);
  const derive = derivation(terms.zipCounties);
  const second = name === 'shape';
  const number = second ? 1 : 0;
  const hasAttributes = !second || Object.keys(columns.columns).length > 0;

  return batch => {
    const bad = [...batch.bad];
    const rows = readUnread(batch, bad);
    const staged: StagedBatch = {
      ...{ roll: [], shape: [], incomplete: [], keys: [], rejects: [] },
      counts: newCounts(),
    };
    const { counts, keys } = staged;
    const roll = lineWriter(bytes => staged.roll.push(bytes));
    const shape = lineWriter(bytes => staged.shape.push(bytes));
    const rejects = { add: (reject: Reject) => void staged.rejects.push(reject) };
    mapRows({ name, map }, { ...batch, rows, bad }, { counts, rejects }, (parcel, row, faults, i) => {
      const { key, fips, dropped } = parcel;
      const place = `${number}\t${row.rowNo}\t${fips}\t${copyValue(key)}`;
      const fault = stageShape(row.geometry, place, shape, counts);
      if (fault && second) {
        faults.reject(row, fault);
        return;
      }
      if (fault && row.geometry) faults.drop(row, fault);
      if (!hasAttributes) return;
      for (const value of dropped ?? []) faults.drop(row, value);
      if (!second) keys.push([i, `${fips}/${key}`]);
      if (terms.incomplete) staged.incomplete.push({ rowNo: row.rowNo, parcel });
      else roll.write(rollLine(number, row.rowNo, parcel, derive, counts));
    });
    roll.flush();
    shape.flush();
    return staged;
  };
}

/** The line of stage_roll of a parcel of input 0, the roll, or 1, a geometry file; counts its filled fields. */
export function rollLine(
  input: 0 | 1,
  rowNo: number,
  parcel: MappedParcel,
  derive: DeriveColumns,
  counts: RunCounts,
): string {
  const { key, fips, values, sale, prior } = parcel;
  countFilled(counts.filled, FILLED_NAMES[input], values);
  const attributes = values.map(copyValue).join('\t');
  const hash = digest(`${DERIVATION}\t${sale}\t${attributes}`);
  const earlier = copyValue(prior && JSON.stringify(prior));
  return `${input}\t${rowNo}\t${fips}\t${copyValue(key)}\t${hash}\t${sale ? 't' : 'f'}\t${earlier}\t${derive(values, fips)}\t${attributes}`;
}

const FILLED_NAMES = [PARCEL_FIELD_NAMES, PARCEL_FIELD_NAMES.map(name => `shape.${name}`)] as const;

const NO_GEOMETRY = {
  field: 'geometry',
  reason: 'geometry_missing',
  message: 'The feature has no geometry, and this input exists for its geometry.',
};

/** Stages a row's shape; `place` is the line's input, row number, county and key. @returns why it cannot be used, or null */
export function stageShape(
  geometry: Geometry | null,
  place: string,
  lines: { write(line: string): void },
  counts: RunCounts,
) {
  if (geometry === null) return NO_GEOMETRY;
  const shape = stageBoundary(geometry);
  if (!shape.ok) return { field: 'geometry', reason: `geometry_${shape.reason}`, message: shape.message };
  for (const repair of shape.repairs) bump(counts.repaired, repair);
  const { hash, location, extent, acres, boundary } = shape.staged;
  lines.write(`${place}\t${hash}\t${location}\t${extent}\t${acres}\t${copyBytes(boundary)}`);
  return null;
}
