import type { ShapeWork } from '../../../../shared/geo/shape-work.ts';
import { PRICES } from '../../../../shared/model/prices.ts';
import type { FilterBody } from '../../../../shared/parcels/filter/declare-filter.ts';
import { readFilterShape } from '../../../../shared/parcels/filter/filter-shape.ts';
import { selectParcels } from '../../../../shared/parcels/filter/select-parcels.ts';
import { countiesMeeting } from '../../../../shared/parcels/filter/spatial-filter.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import type { CallContext } from '../../../http/endpoint.ts';
import { requireFilterRegions } from './filter-regions.ts';
import { type DisclosedCounts, withholdCounts } from './withhold-counts.ts';

/** Filters that name a parcel or a person. This includes lists, because a list can have a single parcel. */
const NAMES_ONE = /^(apn|property_id|owner_parcel_id|list_id|seller_name_contains|owner_name.*)$/;
const LEAST_SHAPE_SQ_M = 1_000_000;

/** The counts that a quote discloses. Null if the filter can't be quoted. */
export type QuotedCount = { counts: DisclosedCounts | null; tokens: number };

/**
 * Counts the matches of a filter without revealing them.
 * @returns the counts and the price of the quote itself
 * @throws PlatError like the filter itself
 */
export async function countForQuote(
  body: FilterBody,
  db: Db,
  { account, now, work }: Pick<CallContext, 'account' | 'now' | 'work'>,
): Promise<QuotedCount> {
  await requireFilterRegions(db, body);
  if (!(await isQuotable(body, work))) return { counts: null, tokens: 0 };
  const { from, where, values } = await selectParcels(body, { asOf: now, work }, db);
  const rows = await db.run<{ fips: number; count: number }>('parcels/count_by_county', values, {
    from,
    where,
  });
  const asked = await countiesOf(body, db, work);
  const counts = withholdCounts(new Map(rows.map(({ fips, count }) => [fips, count])), asked);
  return { counts, tokens: await spendQuote(db, { account, now }) };
}

/** Counts a quote toward the account's daily quotes. @returns its price in tokens */
export async function spendQuote(
  db: Db,
  { account, now }: Pick<CallContext, 'account' | 'now'>,
): Promise<number> {
  const [counted] = await db.run<{ quotes: number }>('accounts/count_quote', {
    account_id: account.id,
    day: now.toISOString().slice(0, 10),
  });
  return counted!.quotes > PRICES.quote.freePerDay ? PRICES.quote.tokens : 0;
}

/** Each part of a shape must be large enough. Otherwise, two quotes would reveal what a small part adds. */
export async function isQuotable(body: FilterBody, work: ShapeWork): Promise<boolean> {
  if (Object.keys(body).some(name => NAMES_ONE.test(name))) return false;
  const shape = await readFilterShape(body, work);
  return shape === undefined || shape.leastSqM >= LEAST_SHAPE_SQ_M;
}

/** The counties that a filter searches. They don't reveal anything about its matches. */
export async function countiesOf(body: FilterBody, db: Db, work: ShapeWork): Promise<number[]> {
  const { county, counties, state } = body as { county?: number; counties?: number[]; state?: number };
  const named = county === undefined ? counties : [county].filter(one => counties?.includes(one) ?? true);
  const around = named ?? (await countiesAround(body, db, work));
  return around.filter(fips => state === undefined || Math.floor(fips / 1_000) === state);
}

async function countiesAround(body: FilterBody, db: Db, work: ShapeWork): Promise<number[]> {
  const shape = await readFilterShape(body, work);
  if (shape !== undefined) return countiesMeeting(shape, db);
  return countiesOfZips(body.zips_include as number[], db);
}

async function countiesOfZips(zips: readonly number[], db: Db): Promise<number[]> {
  const rows = await db.run<{ fips: number }>('regions/list_counties_of_zips', {
    codes: zips.map(zip => String(zip).padStart(5, '0')),
  });
  return rows.map(row => row.fips);
}
