import copyStreams from 'pg-copy-streams';
import { readCopyBinary } from '../../shared/copy-binary.ts';
import { type Client, sql } from '../../shared/db.ts';
import { fromE7 } from '../../shared/kernels/geometry/codec.ts';
import { type Comps, NO_DAY } from '../../shared/kernels/valuation/types.ts';

/** The columns of copy_comps.sql. */
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
} as const;

/** Comps with their listings' ids, 16 bytes each. */
export type StoredComps = Comps & { ids: Uint8Array };

/** West, south, east, north in degrees. */
export type Box = readonly [number, number, number, number];

/** Every comp that valuations can use, or those in a box, by id. In the caller's transaction. */
export async function readComps(client: Client, box: Box | null): Promise<StoredComps> {
  if (box !== null)
    await client.query(
      sql('valuation/set_box'),
      box.map(degrees => degrees * 1e7),
    );
  const statement = box === null ? 'valuation/copy_comps' : 'valuation/copy_comps_around';
  const { rows, columns } = await readCopyBinary(client.query(copyStreams.to(sql(statement))), COLUMNS);
  return { ...columns, count: rows, lon: columns.lon.map(fromE7), lat: columns.lat.map(fromE7) };
}

/** The id of a comp as text. */
export function idOf({ ids }: StoredComps, index: number): string {
  const hex = Buffer.from(ids.buffer, ids.byteOffset + index * 16, 16).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Which of the comps have one of these ids, by index. */
export function indicesOf(comps: StoredComps, ids: ReadonlySet<string>): Set<number> {
  const found = new Set<number>();
  if (ids.size === 0) return found;
  for (let i = 0; i < comps.count; i++) if (ids.has(idOf(comps, i))) found.add(i);
  return found;
}
