import { type CopiedColumns, type CopyColumns, readCopy } from '../../shared/copy.ts';
import { type Client, compose, literal, sql } from '../../shared/db.ts';
import { uuidText } from '../../shared/domain/uuid.ts';
import { boxSql } from '../../shared/geo/box.ts';
import { fromE7 } from '../../shared/geo/codec.ts';
import type { Box } from '../../shared/geo/types.ts';
import { LAND_TERMS, writeLandTerms } from '../../shared/kernels/valuation/land.ts';
import { type Comps, NO_DAY } from '../../shared/kernels/valuation/types.ts';

const number = { type: 'float8', null: Number.NaN } as const;

/** The figures of the land, as valuation/copy_comps, copy_comps_around and copy_parcels name them last. */
export const LAND_COLUMNS = {
  steepPercent: number,
  frontageFt: number,
  floodPercent: number,
  wetlandsPercent: number,
} as const;

/** The columns that copy_comps and copy_comps_around share. */
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
} as const satisfies CopyColumns;

const COLUMNS_ALL = {
  ...COLUMNS,
  ...LAND_COLUMNS,
  asked: number,
  feed: { type: 'int4', null: 0 },
  ofRoll: { type: 'char', null: 0 },
} as const satisfies CopyColumns;

const COLUMNS_AROUND = {
  ...COLUMNS,
  outlier: { type: 'char', null: 0 },
  ...LAND_COLUMNS,
} as const satisfies CopyColumns;

/** Comps with their listings' ids, 16 bytes each. */
export type StoredComps = Comps & { ids: Uint8Array };

/** Every comp that valuations can use, by id, what was asked for those that are sold, and which feed tells each. */
export async function readComps(client: Client): Promise<StoredComps> {
  const { rows, columns } = await readCopy(client, sql('valuation/copy_comps'), COLUMNS_ALL);
  const { asked, feed, ofRoll } = columns;
  return { ...compsOf(rows, columns), asked, feed, ofRoll };
}

/**
 * Those in a box in integers of 1e-7 degree, and the indices of those among them that are outliers.
 * @param land whether it is needed: reading it takes a third of the time
 */
export async function readCompsAround(
  client: Client,
  box: Box,
  land: boolean,
): Promise<{ comps: StoredComps; outliers: Set<number> }> {
  const statement = compose('valuation/copy_comps_around', {
    box: literal(boxSql(box)),
    land: literal(land),
  });
  const { rows, columns } = await readCopy(client, statement, COLUMNS_AROUND);
  const outliers = new Set<number>();
  for (let i = 0; i < rows; i++) if (columns.outlier[i] === 1) outliers.add(i);
  return { comps: compsOf(rows, columns, land), outliers };
}

function compsOf(
  count: number,
  columns: CopiedColumns<typeof COLUMNS & typeof LAND_COLUMNS>,
  land = true,
): StoredComps {
  const { ids, status, price, acres, lon, lat, soldDay, listedDay, county } = columns;
  return {
    ...{ count, ids, status, price, acres, soldDay, listedDay, county },
    lon: lon.map(fromE7),
    lat: lat.map(fromE7),
    land: land ? landTermsOf(count, columns) : undefined,
  };
}

/** The land's terms of every row, LAND_TERMS a row. */
export function landTermsOf(rows: number, figures: CopiedColumns<typeof LAND_COLUMNS>): Float64Array {
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

/** The id of a comp as text. */
export function idOf({ ids }: StoredComps, index: number): string {
  return uuidText(Buffer.from(ids.buffer, ids.byteOffset + index * 16, 16).toString('hex'));
}
