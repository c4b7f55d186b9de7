import copyStreams from 'pg-copy-streams';
import { type CopiedColumns, type CopyColumns, readCopyBinary } from '../../shared/copy-binary.ts';
import { type Client, sql } from '../../shared/db.ts';
import { uuidText } from '../../shared/domain/uuid.ts';
import { withMargin } from '../../shared/geo/box.ts';
import { fromE7 } from '../../shared/geo/codec.ts';
import type { Box } from '../../shared/geo/types.ts';
import { type Comps, NO_DAY } from '../../shared/kernels/valuation/types.ts';
import { compReachM, levelReachM } from './around.ts';
import { LAND_COLUMNS, landTermsOf } from './land-columns.ts';
import type { StoredModel } from './model-store.ts';

/** The columns that copy_comps.sql and copy_comps_around.sql share. */
const COLUMNS = {
  ids: { type: 'uuid', null: 0 },
  status: { type: 'char', null: 0 },
  price: { type: 'float8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  lon: { type: 'float8', null: Number.NaN },
  lat: { type: 'float8', null: Number.NaN },
  soldDay: { type: 'date', null: NO_DAY },
  listedDay: { type: 'date', null: NO_DAY },
  county: { type: 'int4', null: -1 },
} as const satisfies CopyColumns;

/** The columns of copy_comps.sql. */
const COLUMNS_ALL = {
  ...COLUMNS,
  ...LAND_COLUMNS,
  asked: { type: 'float8', null: Number.NaN },
  feed: { type: 'int4', null: 0 },
  ofRoll: { type: 'char', null: 0 },
} as const satisfies CopyColumns;

/** The columns of copy_comps_around.sql. */
const COLUMNS_AROUND = {
  ...COLUMNS,
  outlier: { type: 'char', null: 0 },
  ...LAND_COLUMNS,
} as const satisfies CopyColumns;

/** Comps with their listings' ids, 16 bytes each. */
export type StoredComps = Comps & { ids: Uint8Array };

/** Every comp that valuations can use, by id, what was asked for those that are sold, and which feed tells each. */
export async function readComps(client: Client): Promise<StoredComps> {
  const stream = client.query(copyStreams.to(sql('valuation/copy_comps')));
  const { rows, columns } = await readCopyBinary(stream, COLUMNS_ALL);
  const { asked, feed, ofRoll } = columns;
  return { ...compsOf(rows, columns), asked, feed, ofRoll };
}

/**
 * Those in a box, and the indices of those among them that are outliers. In the caller's transaction.
 * @param land whether it is needed: reading it takes a third of the time
 */
export async function readCompsAround(
  client: Client,
  box: Box,
  land: boolean,
): Promise<{ comps: StoredComps; outliers: Set<number> }> {
  await setBox(client, box, land);
  const stream = client.query(copyStreams.to(sql('valuation/copy_comps_around')));
  const { rows, columns } = await readCopyBinary(stream, COLUMNS_AROUND);
  const { outlier } = columns;
  const outliers = new Set<number>();
  for (let i = 0; i < rows; i++) if (outlier[i] === 1) outliers.add(i);
  return { comps: compsOf(rows, columns, land), outliers };
}

type Columns = CopiedColumns<typeof COLUMNS & typeof LAND_COLUMNS>;

function compsOf(count: number, columns: Columns, land = true): StoredComps {
  const { ids, status, price, acres, lon, lat, soldDay, listedDay, county } = columns;
  return {
    ...{ count, ids, status, price, acres, soldDay, listedDay, county },
    lon: lon.map(fromE7),
    lat: lat.map(fromE7),
    land: land ? landTermsOf(count, columns) : undefined,
  };
}

/**
 * Holds every comp that can matter to parcels of a county. In the caller's transaction.
 * @param extent of the parcels, integers of 1e-7 degree
 */
export async function boxOfComps(
  client: Client,
  fips: number,
  { parameters }: StoredModel,
  extent: Box,
): Promise<Box> {
  const around = withMargin(extent.map(fromE7) as Box, compReachM(parameters, fips));
  const counties = [fips, ...(await listCompCounties(client, around))];
  return withMargin(around, levelReachM(parameters, counties));
}

/** The counties that comps in a box are of. */
async function listCompCounties(client: Client, box: Box): Promise<number[]> {
  await setBox(client, box, false);
  const { rows } = await client.query<{ fips: number }>(sql('valuation/list_comp_counties'));
  return rows.map(({ fips }) => fips);
}

async function setBox(client: Client, box: Box, land: boolean): Promise<void> {
  await client.query(sql('valuation/set_box'), [...box.map(degrees => degrees * 1e7), land]);
}

/** The id of a comp as text. */
export function idOf({ ids }: StoredComps, index: number): string {
  return uuidText(Buffer.from(ids.buffer, ids.byteOffset + index * 16, 16).toString('hex'));
}
