import { type Client, sql } from '../../../shared/db.ts';
import { allCounties } from '../../../shared/regions/counties.ts';
import { stateOfFips } from '../../../shared/regions/states.ts';
import type { Sales } from '../../feeds/feed.ts';
import { openCopy } from './copy.ts';
import { COPY_LISTING, type ListingRecord, listingLine } from './listing-row.ts';

type Sale = {
  fips: number;
  source_id: string;
  row_no: number;
  status: 'SOLD' | 'OFF_MARKET';
  multi_parcel: boolean;
  /** An earlier run made a comp of it. */
  known: boolean;
  situs_address: string | null;
  situs_city: string | null;
  situs_state: string | null;
  situs_zip: string | null;
  apn: string | null;
  last_sale_date: string;
  last_sale_price: number | null;
  lot_acres: number | null;
  location: { x: number; y: number } | null;
};

/** What became of the roll's last sales: comps, and sales left out because one deed covers several parcels. */
export type SaleCounts = { comps: number; multi_parcel: number; disqualified: number };

const COUNTY_NAMES = new Map(allCounties().map(county => [county.fips, county.name]));

/** Stages the roll's own last sales as comps and compares them with the listings that are there. */
export async function stageSales(client: Client, sales: Sales): Promise<SaleCounts> {
  const { rows } = await client.query<Sale>(sql('ingest/list_sales'), [
    sales.label,
    Math.ceil(sales.minPrice),
  ]);
  const counts: SaleCounts = { comps: 0, multi_parcel: 0, disqualified: 0 };
  const copy = openCopy(client, COPY_LISTING);
  for (const sale of rows) {
    if (sale.multi_parcel) counts.multi_parcel++;
    else counts[sale.status === 'SOLD' ? 'comps' : 'disqualified']++;
    if (sale.multi_parcel && !sale.known) continue;
    copy.write(listingLine(sale.row_no, comp(sale, sales)));
    await copy.drain();
  }
  await copy.end();
  await client.query(sql('ingest/match_listings'));
  return counts;
}

function comp(sale: Sale, { label, saleType }: Sales): ListingRecord {
  return {
    source: label,
    sourceId: sale.source_id,
    status: sale.status,
    address: sale.situs_address ?? '',
    city: sale.situs_city ?? '',
    state: sale.situs_state ?? stateOfFips(sale.fips) ?? '',
    zip: sale.situs_zip ?? '',
    county: COUNTY_NAMES.get(sale.fips) ?? '',
    apn: sale.apn ?? '',
    location: sale.location && { lonE7: sale.location.x, latE7: sale.location.y },
    fips: sale.fips,
    lotAcres: sale.lot_acres,
    price: sale.last_sale_price ?? 0,
    askedPrice: null,
    listedDate: null,
    statusDate: sale.last_sale_date,
    soldDate: sale.last_sale_date,
    daysOnMarket: null,
    saleType,
    url: '',
    photos: [],
  };
}
