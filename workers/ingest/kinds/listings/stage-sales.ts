import { SEVERAL_PARCELS } from '../../../../shared/model/sale-flags.ts';
import { MAX_ACREAGE_CORRECTION } from '../../../../shared/model/sold-acres.ts';
import { openCopy } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { sql } from '../../../../shared/platform/statements.ts';
import { countyName } from '../../../../shared/regions/counties.ts';
import { stateOfFips } from '../../../../shared/regions/states.ts';
import type { Sales } from '../../../feeds/feed.ts';
import { COPY_LISTING, type ListingRecord, listingLine } from './listing-record.ts';

type Sale = {
  fips: number;
  source_id: string;
  row_no: number;
  status: 'SOLD' | 'OFF_MARKET';
  /**
   * Whether it qualifies as a sale under the feed's rules. If it doesn't, it is included only because it was
   * a comp before.
   */
  qualified: boolean;
  multi_parcel: boolean;
  /** Whether another feed has the same sale. */
  repeated: boolean;
  situs_address: string | null;
  situs_city: string | null;
  situs_state: string | null;
  situs_zip: string | null;
  apn: string | null;
  last_sale_date: string;
  last_sale_price: number | null;
  book: string | null;
  lot_acres: number | null;
  location: { x: number; y: number } | null;
};

/**
 * Maximum number of days between the dates of one deed. If deed numbers restart each year, different deeds
 * with the same number are further apart.
 */
export const DEED_DAYS = 180;

/**
 * Outcomes of recorded sales: comps, sales on deeds that cover several parcels (not comps), comps from
 * earlier runs that no longer qualify, and sales that another feed already has as comps.
 */
export type SaleCounts = { comps: number; multi_parcel: number; disqualified: number; repeated?: number };

/**
 * Stages recorded sales as comps and compares them with existing listings.
 * @param recorded the query for the run's staged sales
 * @param counties the run's counties
 */
export async function stageSales(
  db: Db,
  recorded: 'market/recorded_of_roll' | 'market/recorded_of_file',
  sales: Pick<Sales, 'label' | 'minPrice' | 'saleType'>,
  feedId: number,
  counties: number[],
): Promise<SaleCounts> {
  const rows = await db.run<Sale>(
    'market/list_sales',
    {
      label: sales.label,
      least_price: Math.ceil(sales.minPrice),
      several_sale_type: SEVERAL_PARCELS,
      feed_id: feedId,
      counties,
      most_correction: MAX_ACREAGE_CORRECTION,
      deed_days: DEED_DAYS,
    },
    { recorded: sql(recorded) },
  );
  const counts: SaleCounts = { comps: 0, multi_parcel: 0, disqualified: 0 };
  const copy = openCopy(db, COPY_LISTING);
  for (const sale of rows) {
    if (sale.repeated) {
      counts.repeated = (counts.repeated ?? 0) + 1;
      continue;
    }
    if (sale.status === 'SOLD') counts.comps++;
    else counts[sale.qualified ? 'multi_parcel' : 'disqualified']++;
    copy.write(listingLine(sale.row_no, comp(sale, sales)));
    await copy.drain();
  }
  await copy.end();
  await db.run('market/match_listings');
  return counts;
}

function comp(sale: Sale, { label, saleType }: Pick<Sales, 'label' | 'saleType'>): ListingRecord {
  return {
    source: label,
    source_id: sale.source_id,
    status: sale.status,
    address: sale.situs_address ?? '',
    city: sale.situs_city ?? '',
    state: sale.situs_state ?? stateOfFips(sale.fips) ?? '',
    zip: sale.situs_zip ?? '',
    county: countyName(sale.fips),
    apn: sale.apn ?? '',
    location: sale.location,
    fips: sale.fips,
    lot_acres: sale.lot_acres,
    price: sale.last_sale_price ?? 0,
    asked_price: null,
    listed_date: null,
    status_date: sale.last_sale_date,
    sold_date: sale.last_sale_date,
    days_on_market: null,
    sale_type: sale.multi_parcel ? SEVERAL_PARCELS : saleType,
    url: '',
    photos: [],
    views: null,
    saves: null,
    deed: sale.book,
  };
}

type SaleFigures = { touched: number; before: number; leaving: number };

/** Measures a run's effect on its feed's comps. */
export async function measureSales(
  db: Db,
  sales: Pick<Sales, 'label'> | null,
  feedId: number,
): Promise<SaleFigures> {
  if (sales === null) return { touched: 0, before: 0, leaving: 0 };
  const rows = await db.run<SaleFigures>('market/measure_sales', { feed_id: feedId, label: sales.label });
  return rows[0]!;
}
