import { type Client, compose, literal, sql } from '../../shared/db.ts';
import { MOST_CORRECTION } from '../../shared/domain/sold-acres.ts';
import { decodeBoundary, fromE7 } from '../../shared/geo/codec.ts';
import { pointInMultiPolygon } from '../../shared/geo/point-in-polygon.ts';

type Candidate = { id: string; property_id: number; x: number; y: number; boundary: Uint8Array };

/**
 * Finds the parcel that each comp of a county is of, and stores what the land layers tell of it beside the comp: by the key or the
 * number that the comp gives, else the one whose boundary holds its point. Not where the parcel was split or merged since: its land
 * is not what was sold.
 */
export async function linkComps(client: Client, fips: number): Promise<void> {
  const landed = await client.query(sql('valuation/has_land'), [fips]);
  if (landed.rowCount === 0) {
    await client.query(sql('valuation/forget_comp_land'), [fips]);
    return;
  }
  const county = { fips: literal(fips), most_correction: literal(MOST_CORRECTION) };
  await client.query(compose('valuation/link_comps', county));
  const { rows } = await client.query<Candidate>(sql('valuation/list_comps_on_land'), [
    fips,
    MOST_CORRECTION,
  ]);
  const parcelOf = new Map<string, number>();
  for (const { id, property_id, x, y, boundary } of rows) {
    if (parcelOf.has(id)) continue;
    const side = pointInMultiPolygon([fromE7(x), fromE7(y)], decodeBoundary(boundary));
    if (side !== 'outside') parcelOf.set(id, property_id);
  }
  if (parcelOf.size === 0) return;
  const pairs = { ids: literal([...parcelOf.keys()]), parcels: literal([...parcelOf.values()]) };
  await client.query(compose('valuation/store_comp_land', { ...county, ...pairs }));
}
