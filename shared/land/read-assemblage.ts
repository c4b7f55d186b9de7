import { countyOf } from '../model/property-id.ts';
import type { Db } from '../platform/db.ts';

/** A parcel of an assemblage. The extent is in 1e-7 degrees. */
export type AssemblageMember = {
  property_id: number;
  apn: string | null;
  situs_address: string | null;
  effective_acres: number | null;
  /** Estimate in USD. */
  value: number | null;
  frontage_ft: number | null;
  buildable_acres: number | null;
  /** The same for parcels with the same boundary. */
  lot: string;
  west: number;
  south: number;
  east: number;
  north: number;
};

/** What the valuation model says about one lot made of the assemblage's lots. */
export type WholeValue = { price: number; low_price: number; high_price: number; out_of_support: boolean };

export type AssemblageParts = {
  /** Largest first. */
  members: AssemblageMember[];
  /** Undefined without an estimate. */
  whole: WholeValue | undefined;
};

/** The assemblage of a parcel. Undefined if it has none. */
export async function readAssemblage(db: Db, propertyId: number): Promise<AssemblageParts | undefined> {
  const [found] = await db.run<{ id: number; counties: number[]; acres: number }>('land/find_assemblage', {
    fips: countyOf(propertyId),
    property_id: propertyId,
  });
  if (found === undefined) return undefined;
  const { id, counties, acres } = found;
  const members = await db.run<AssemblageMember>('land/list_assemblage_members', { counties, id });
  const [whole] = await db.run<WholeValue>('land/read_assemblage_value', { fips: countyOf(id), id, acres });
  return { members, whole };
}
