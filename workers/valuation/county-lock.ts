import { type Client, sql } from '../../shared/db.ts';

/** The first of a pair of advisory locks; any number that no other pair begins with. */
const COUNTY_LOCK = 7_152_811;

/** Holds those back who would write the county's valuations, until the transaction ends. */
export async function lockCounty(client: Client, fips: number): Promise<void> {
  await client.query(sql('valuation/lock_county'), [COUNTY_LOCK, fips]);
}
