import { type Client, sql } from '../../shared/db.ts';
import { MOST_CORRECTION } from '../../shared/domain/sold-acres.ts';
import { decodeBoundary, fromE7 } from '../../shared/geo/codec.ts';
import { pointInMultiPolygon } from '../../shared/geo/point-in-polygon.ts';

/** Which comps: all, those of a county, or some of a county. */
export type LinkScope = { fips?: number; ids?: readonly string[] };

type Candidate = { id: string; property_id: number; x: number; y: number; boundary: Uint8Array };

/**
 * Finds the parcel that each comp is of, and stores what the land layers tell of it beside the comp: by the key or the number
 * that the comp gives, else the one whose boundary holds its point. Not where the parcel was split or merged since: its land is not
 * what was sold. In the transaction of one who holds the model's lock.
 */
export async function linkComps(client: Client, { fips, ids }: LinkScope): Promise<void> {
  await client.query(sql('valuation/link_comps'), [ids ?? null, fips ?? null, MOST_CORRECTION]);
  for (const county of await listLandedCounties(client, fips)) await linkByPoint(client, county, ids);
}

async function listLandedCounties(client: Client, fips?: number): Promise<number[]> {
  const { rows } = await client.query<{ fips: number }>(sql('valuation/list_landed_counties'), [
    fips ?? null,
  ]);
  return rows.map(({ fips }) => fips);
}

async function linkByPoint(client: Client, fips: number, ids?: readonly string[]): Promise<void> {
  const { rows } = await client.query<Candidate>(sql('valuation/list_comps_on_land'), [
    fips,
    ids ?? null,
    MOST_CORRECTION,
  ]);
  const parcelOf = new Map<string, number>();
  for (const { id, property_id, x, y, boundary } of rows) {
    if (parcelOf.has(id)) continue;
    const side = pointInMultiPolygon([fromE7(x), fromE7(y)], decodeBoundary(boundary));
    if (side !== 'outside') parcelOf.set(id, property_id);
  }
  if (parcelOf.size === 0) return;
  await client.query(sql('valuation/store_comp_land'), [fips, [...parcelOf.keys()], [...parcelOf.values()]]);
}
