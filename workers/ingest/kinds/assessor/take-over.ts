import { type Client, compose, literal } from '../../../../shared/platform/db.ts';

/** Makes the parcels that stageOverlap took the feed's own, before they are written, inside the merge. */
export async function takeOver(client: Client, feedId: number, fips: readonly number[]): Promise<void> {
  const literals = { feed: literal(feedId), fips: literal(fips) };
  await client.query(compose('feeds/free_keys', literals));
  await client.query(compose('feeds/take_over', literals));
}
