import { type Client, sql } from '../../shared/db.ts';
import { LOCKS } from '../../shared/locks.ts';

/** Holds those back who would write the county's valuations, until the transaction ends. */
export async function lockCounty(client: Client, fips: number): Promise<void> {
  await client.query(sql('valuation/lock_county'), [LOCKS.countyValuations, fips]);
}
