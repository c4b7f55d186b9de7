import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import {
  noteReach,
  packReaches,
  type ReachGrid,
  reachedBoxes,
  unpackReaches,
} from '../../shared/kernels/valuation/reach-grid.ts';
import { boxAround, compReachM, enclosing, holds } from './around.ts';
import { beginCounty, type ValuedParcels } from './county.ts';
import type { StoredModel } from './model-store.ts';
import { extentOf, inColumns, type Parcel } from './parcels.ts';
import { boxOfComps } from './read-comps.ts';
import { valueAndStore, type Watch } from './value-and-store.ts';

/** A place and size of a comp that came, changed or went. Integers of 1e-7 degree. */
export type Change = { lon: number; lat: number; acres: number };

export type Reaching = {
  changes: readonly Change[];
  /** Ids of parcels that are to be valued anew whatever reaches them. */
  besides: readonly number[];
  /** One that is at hand. */
  model: StoredModel;
};

/** A row of list_reached_parcels.sql. */
type Reached = Parcel & { id: number; lon: number; lat: number; reachM: number | null };

/**
 * Comps are read this much farther around a parcel than its valuation reached before. Of 340 sales that came one by one among
 * 100,000, 5 made a valuation reach farther than that, so that a second look was needed; with nothing to spare 14 of 60.
 */
const SPARE = 1.05;

/** Values the parcels of a county that changed comps can reach, and some besides; atomically. */
export function valueReached(
  pool: Pool,
  fips: number,
  { changes, besides, model: atHand }: Reaching,
  watch: Watch,
): Promise<ValuedParcels> {
  return transaction(pool, async client => {
    const model = await beginCounty(client, fips, atHand);
    // Only now: whoever held the lock before may have brought valuations that reach farther.
    const reaches = await readReaches(client, fips);
    const rows = await listReached(client, fips, reaches, changes, besides);
    if (rows.length === 0) return { parcels: 0, valued: 0 };
    await client.query(sql('valuation/delete_valuations'), [fips, rows.map(({ id }) => id)]);

    // A valuation by the comps of a box is the one by all comps when none outside of the box can reach the parcel. What reached
    // so far before hardly ever reaches farther now: a third of the comps are read that could matter.
    const compReach = compReachM(model.parameters, fips);
    const near = enclosing(rows.map(row => boxAround(row, SPARE * (row.reachM ?? compReach))));
    const farther: Reached[] = [];
    let farthestM = 0;
    let widened = false;
    const note = (row: Reached, reachM: number) => {
      farthestM = Math.max(farthestM, reachM);
      if (reaches !== null && noteReach(reaches, row.lon, row.lat, reachM)) widened = true;
      return true;
    };
    let valued = await valueAndStore(client, fips, model, inColumns(rows), near, watch, (i, reachM) => {
      const row = rows[i]!;
      if (holds(near, boxAround(row, reachM))) return note(row, reachM);
      farther.push(row);
      return false;
    });
    if (farther.length > 0) {
      const parcels = inColumns(farther);
      const box = await boxOfComps(client, fips, model, extentOf(parcels));
      valued += await valueAndStore(client, fips, model, parcels, box, watch, (i, reachM) =>
        note(farther[i]!, reachM),
      );
    }
    if (widened) await client.query(sql('valuation/widen_county'), [fips, farthestM, packReaches(reaches!)]);
    return { parcels: rows.length, valued };
  });
}

/** Null of a county that was never valued. */
async function readReaches(client: Client, fips: number): Promise<ReachGrid | null> {
  const { rows } = await client.query<{
    west: number;
    south: number;
    east: number;
    north: number;
    reaches: Buffer;
  }>(sql('valuation/read_county'), [fips]);
  const county = rows[0];
  if (county === undefined) return null;
  const { west, south, east, north, reaches } = county;
  return unpackReaches([west, south, east, north], reaches);
}

async function listReached(
  client: Client,
  fips: number,
  reaches: ReachGrid | null,
  changes: readonly Change[],
  besides: readonly number[],
): Promise<Reached[]> {
  const pairs =
    reaches === null
      ? []
      : changes.flatMap(change =>
          reachedBoxes(reaches, change.lon, change.lat).map(box => ({ ...change, box })),
        );
  const { rows } = await client.query<Reached>(sql('valuation/list_reached_parcels'), [
    fips,
    pairs.map(({ lon }) => lon),
    pairs.map(({ lat }) => lat),
    pairs.map(({ acres }) => acres),
    ...[0, 1, 2, 3].map(side => pairs.map(({ box }) => box[side])),
    besides,
  ]);
  return rows;
}
