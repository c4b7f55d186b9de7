import { boxSql } from '../../shared/geo/box.ts';
import { fromE7 } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { LAND_TERMS, writeLandTerms } from '../../shared/kernels/valuation/land-effects.ts';
import { type Comps, NO_DAY } from '../../shared/kernels/valuation/valuation-types.ts';
import { type CopiedColumns, type CopyColumns, readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { compose, literal } from '../../shared/platform/statements.ts';
import type { AssessorOpinion } from './assessed-land.ts';

const number = { type: 'float8', null: Number.NaN } as const;

/** Land figures, which are the last columns of valuation/copy_comps and copy_parcels. */
export const LAND_COLUMNS = {
  steepPercent: number,
  frontageFt: number,
  floodPercent: number,
  wetlandsPercent: number,
  /** 1 on a shore, 0 elsewhere. */
  shore: number,
} as const;

const COLUMNS = {
  ids: { type: 'uuid', null: 0 },
  status: { type: 'char', null: 0 },
  price: number,
  acres: number,
  lon: number,
  lat: number,
  soldDay: { type: 'date', null: NO_DAY },
  listedDay: { type: 'date', null: NO_DAY },
  county: { type: 'int4', null: -1 },
  asked: number,
  feed: { type: 'int4', null: 0 },
  ofRoll: { type: 'char', null: 0 },
  parcel: { type: 'int8', null: Number.NaN },
  lot: { type: 'int8', null: Number.NaN },
  approved: { type: 'char', null: 0 },
  ...LAND_COLUMNS,
} as const satisfies CopyColumns;

/** `parcel`: the id of each comp's parcel, or NaN if unknown. */
export type StoredComps = Comps & {
  ids: Uint8Array;
  parcel: Float64Array;
  assessed: Float64Array;
  assessedDay: Int32Array;
  shore: Float64Array;
};

/**
 * All comps, those in a county, or those from other counties in a box (in integers of 1e-7 degrees), sorted
 * by id.
 */
export async function readComps(
  db: Db,
  where: { fips: number } | { box: Box; exceptFips: number } | null = null,
): Promise<StoredComps> {
  const condition =
    where === null
      ? 'true'
      : 'fips' in where
        ? `l.fips = ${literal(where.fips)}`
        : `l.location <@ ${literal(boxSql(where.box))}::box and l.fips <> ${literal(where.exceptFips)}`;
  const statement = compose('valuation/copy_comps', { where: condition });
  const { rows, columns } = await readCopy(db, statement, COLUMNS);
  const {
    lon,
    lat,
    steepPercent: _s,
    frontageFt: _r,
    floodPercent: _f,
    wetlandsPercent: _w,
    ...own
  } = columns;
  return {
    count: rows,
    ...own,
    lon: lon.map(fromE7),
    lat: lat.map(fromE7),
    land: landTermsOf(rows, columns),
    assessed: new Float64Array(rows).fill(Number.NaN),
    assessedDay: new Int32Array(rows).fill(NO_DAY),
  };
}

/**
 * Fills `assessed` and `assessedDay` for a county's sold comps with the assessor's value of the land on the
 * day before each sale, or on the county's first roll.
 */
export function assessSales(
  { parcel, soldDay, county, assessed, assessedDay }: StoredComps,
  fips: number,
  opinion: AssessorOpinion,
): void {
  if (opinion.firstDay === Number.POSITIVE_INFINITY) return;
  for (let i = 0; i < assessed.length; i++) {
    if (county[i] !== fips || soldDay[i] === NO_DAY) continue;
    assessedDay[i] = Math.max(soldDay[i]! - 1, opinion.firstDay);
    assessed[i] = opinion(parcel[i]!, assessedDay[i]!);
  }
}

/** Concatenates two sets of comps. */
export function joinComps(a: StoredComps, b: StoredComps): StoredComps {
  if (b.count === 0) return a;
  type Column = Float64Array | Int32Array | Uint8Array;
  const { count, ...columns } = b;
  const joined = Object.entries(columns as Record<string, Column>).map(([name, second]) => {
    const first = a[name as keyof StoredComps] as Column;
    const both = new (second.constructor as Float64ArrayConstructor)(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return [name, both];
  });
  return { ...Object.fromEntries(joined), count: a.count + count };
}

/** Land terms for every row, with LAND_TERMS values per row. */
export function landTermsOf(
  rows: number,
  figures: Omit<CopiedColumns<typeof LAND_COLUMNS>, 'shore'>,
): Float64Array {
  const { steepPercent, frontageFt, floodPercent, wetlandsPercent } = figures;
  const terms = new Float64Array(rows * LAND_TERMS);
  const one = { steepPercent: 0, frontageFt: 0, floodPercent: 0, wetlandsPercent: 0 };
  for (let i = 0; i < rows; i++) {
    one.steepPercent = steepPercent[i]!;
    one.frontageFt = frontageFt[i]!;
    one.floodPercent = floodPercent[i]!;
    one.wetlandsPercent = wetlandsPercent[i]!;
    writeLandTerms(one, terms, i * LAND_TERMS);
  }
  return terms;
}
