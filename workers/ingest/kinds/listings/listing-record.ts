import { toE7 } from '../../../../shared/geo/geometry-codec.ts';
import {
  LISTING_FIELD_NAMES,
  type ListingField,
  type ListingStatus,
} from '../../../../shared/model/listing-fields.ts';
import { listingId } from '../../../../shared/model/listing-id.ts';
import type { FieldValue } from '../../../../shared/model/parcel-fields.ts';
import { arrayLiteral, copyValue } from '../../../../shared/platform/copy.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { formerCounty, planningRegion } from '../../../../shared/regions/connecticut.ts';
import { countyName } from '../../../../shared/regions/counties.ts';
import { countyByName } from '../../../../shared/regions/county-names.ts';
import { countyAt, nearestCounty } from '../../../../shared/regions/county-polygons.ts';
import { LISTING_CHANGES } from '../../../changes/changed-fields.ts';
import type { Value } from '../../../feeds/values/value-parser.ts';
import { positionsOf } from '../../engine/map-fields.ts';
import { digest } from '../../engine/row-hash.ts';

const COLUMNS = [
  ...(['source', 'source_id', 'status', 'address', 'city', 'state', 'zip', 'county', 'apn'] as const),
  ...(['location', 'fips', 'lot_acres', 'price', 'listed_date', 'status_date', 'sold_date'] as const),
  ...(['days_on_market', 'sale_type', 'url', 'photos', 'asked_price', 'views', 'saves', 'deed'] as const),
];

/** A comp, as in the staging table. Dates are 'YYYY-MM-DD'. The location is in integers of 1e-7 degrees. */
export type ListingRecord = Record<(typeof COLUMNS)[number], FieldValue | Point | string[]> & {
  source: string;
  source_id: string;
  status: ListingStatus;
  location: Point | null;
  asked_price: number | null;
  deed: string | null;
  photos: string[];
};

type Point = { x: number; y: number };

export const LISTING_PARTS = {
  columns: COLUMNS.join(', '),
  staged: COLUMNS.map(name => `s.${name}`).join(', '),
  assigned: COLUMNS.map(name => `${name} = excluded.${name}`).join(', '),
};

export const COPY_LISTING = `copy stage_listing (row_no, id, ${LISTING_PARTS.columns}, hash) from stdin`;

export function listingLine(rowNo: number, listing: ListingRecord): string {
  const { location: at, photos } = listing;
  const flat = { ...listing, location: at && `(${at.x},${at.y})`, photos: arrayLiteral(photos) };
  const values = COLUMNS.map(name => copyValue(flat[name] as FieldValue));
  const hash = digest(values.slice(0, COLUMNS.findLastIndex(isDigested(listing)) + 1).join('\t'));
  return `${rowNo}\t${listingId(listing.source, listing.source_id)}\t${values.join('\t')}\t${hash}`;
}

/** Columns added later are part of the digest only if they have a value, so that older digests stay valid. */
const isDigested = (listing: ListingRecord) => (name: (typeof COLUMNS)[number]) =>
  !OPTIONAL_COLUMNS.has(name) || listing[name] !== null;
const OPTIONAL_COLUMNS = new Set<string>(['asked_price', 'views', 'saves', 'deed']);

const AT = positionsOf(LISTING_FIELD_NAMES);

/**
 * A mapped listing as a comp. Its county comes from its FIPS code, otherwise from its county name, otherwise
 * from its point. The price is the sale price of a sale, otherwise the list price. It is 0 if the source
 * withholds it.
 */
export function resolveListing(values: Value[]): ListingRecord {
  const text = (field: ListingField): string => (values[AT[field]] ?? '') as string;
  const number = (field: ListingField): number | null => values[AT[field]] as number | null;
  const day = (field: ListingField): string | null => values[AT[field]] as string | null;

  const status = values[AT.status] as ListingStatus;
  const lon = number('longitude');
  const lat = number('latitude');
  const placed = lon !== null && lat !== null;
  const sold = status === 'SOLD';
  const [county, state] = [text('county'), text('state')];
  const former = formerCounty(county, state);
  const fips =
    number('fips') ??
    countyByName(county, state) ??
    (former && planningRegion(former, text('city'), placed ? [lon, lat] : null)) ??
    (placed ? countyOf(lon, lat) : null);
  return {
    source: text('source'),
    source_id: text('source_id'),
    status,
    address: text('address'),
    city: text('city'),
    state,
    zip: text('zip'),
    county: county || (fips === null ? '' : countyName(fips)),
    apn: text('apn'),
    location: placed ? { x: toE7(lon), y: toE7(lat) } : null,
    fips,
    lot_acres: number('lot_acres'),
    price: number(sold ? 'sold_price' : 'list_price') ?? 0,
    asked_price: sold ? number('list_price') : null,
    listed_date: day('listed_date'),
    status_date: day('status_date') ?? (sold ? day('sold_date') : null),
    sold_date: sold ? (day('sold_date') ?? day('status_date')) : null,
    days_on_market: number('days_on_market'),
    sale_type: text('sale_type'),
    url: text('url'),
    photos: (values[AT.photos] as string[] | null) ?? [],
    views: number('views'),
    saves: number('saves'),
    deed: null,
  };
}

/** County polygons are simplified, so a shore parcel can be just outside its county. */
const countyOf = (lon: number, lat: number): number | null => countyAt(lon, lat) ?? nearestCounty(lon, lat);

/** Merges listings, records their history, and marks the regions and counties to recompute. */
export async function mergeListings(db: Db, runId: number, feedId: number): Promise<void> {
  await db.run('valuation/mark_comps');
  await db.run('changes/stage_listing_changes', {}, LISTING_CHANGES);
  await db.run('changes/fold_loaded_listings');
  await db.run('market/keep_asked_prices');
  await db.run('market/upsert_listings', { run_id: runId, feed_id: feedId }, LISTING_PARTS);
  await db.run('market/record_listing_events', { run_id: runId });
  await db.run('market/retire_listings', { run_id: runId });
  await db.run('market/mark_touched_regions');
}
