import { type CopiedColumns, readCopy } from '../../shared/copy.ts';
import { type Client, compose, literal } from '../../shared/db.ts';
import { type ListingColumns, NO_DAY } from '../../shared/kernels/stats/region-stats.ts';

/** The columns of market/copy_listings. */
const COLUMNS = {
  fips: { type: 'int4', null: -1 },
  zip: { type: 'digits5', null: -1 },
  status: { type: 'char', null: 0 },
  cents: { type: 'int8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  soldDay: { type: 'date', null: NO_DAY },
  daysOnMarket: { type: 'int4', null: NO_DAY },
  feedDay: { type: 'date', null: NO_DAY },
} as const;

/** Listings by column; entry i of each array is listing i. */
export type MarketListings = ListingColumns & {
  count: number;
  /** County FIPS, or -1. */
  fips: Int32Array;
  /** The ZIP as a number, or -1. */
  zip: Int32Array;
  /** The day of the snapshot that the listing's feed is, in days since 1970-01-01; NO_DAY for a feed that lives on. */
  feedDay: Int32Array;
};

/** Which regions' listings to read. */
export type ListingScope = 'all' | { counties: readonly string[]; zips: readonly string[] };

/** Reads every listing that counts in the statistics of these regions, within the caller's transaction. */
export async function readListings(client: Client, scope: ListingScope): Promise<MarketListings> {
  const condition = scope === 'all' ? 'true' : ofRegions(scope);
  const { rows, columns } = await readCopy(
    client,
    compose('market/copy_listings', { scope: condition }),
    COLUMNS,
  );
  return { ...columns, count: rows, price: dollars(columns) };
}

/** Cents arrive as integers because numeric has no fixed width; the division gives the double nearest to the price. */
function dollars({ cents }: CopiedColumns<typeof COLUMNS>): Float64Array {
  for (let i = 0; i < cents.length; i++) cents[i] = cents[i]! / 100;
  return cents;
}

function ofRegions({ counties, zips }: Exclude<ListingScope, 'all'>): string {
  return `fips = any (${literal(counties.map(Number))}::int[]) or zip = any (${literal(zips)}::text[])`;
}
