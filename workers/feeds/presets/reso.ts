import type { ListingStatus } from '../../../shared/domain/listing-fields.ts';
import type { ListingsPreset } from './index.ts';

/**
 * Every value of the Data Dictionary's StandardStatus lookup. "Active Under Contract" has an accepted offer, so it is
 * under contract; "Coming Soon" is not on the market yet.
 */
const STATUS: Record<string, ListingStatus> = {
  Active: 'ACTIVE',
  'Active Under Contract': 'PENDING',
  Pending: 'PENDING',
  Closed: 'SOLD',
  Canceled: 'OFF_MARKET',
  Cancelled: 'OFF_MARKET',
  'Coming Soon': 'OFF_MARKET',
  Delete: 'OFF_MARKET',
  Expired: 'OFF_MARKET',
  Hold: 'OFF_MARKET',
  Incomplete: 'OFF_MARKET',
  Withdrawn: 'OFF_MARKET',
};

/** A lookup's display names, and the same without blanks: the form of OData enumerations (ActiveUnderContract). */
function bothForms<T>(lookup: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(lookup).flatMap(([name, value]) => [
      [name, value],
      [name.replaceAll(' ', ''), value],
    ]),
  );
}

/**
 * RESO Data Dictionary, resource Property (https://dd.reso.org/DD2.0/Property), as a Web API or as CSV. The size is
 * LotSizeAcres, else LotSizeArea in LotSizeUnits, else LotSizeSquareFeet. Leases are left out: their price is a rent.
 * A feed of land alone asks for it: `reso: { filter: "PropertyType eq 'Land'" }`.
 */
export const reso: ListingsPreset = {
  kind: 'listings',
  skipWhere: [
    {
      column: 'PropertyType',
      in: Object.keys(bothForms({ 'Residential Lease': 1, 'Commercial Lease': 1 })),
    },
  ],
  columns: {
    source_id: 'ListingKey',
    status: { column: 'StandardStatus', values: bothForms(STATUS) },
    address: 'UnparsedAddress',
    city: 'City',
    state: 'StateOrProvince',
    zip: 'PostalCode',
    county: 'CountyOrParish',
    apn: 'ParcelNumber',
    latitude: 'Latitude',
    longitude: 'Longitude',
    lot_acres: {
      first_of: [
        'LotSizeAcres',
        { column: 'LotSizeArea', unit: { column: 'LotSizeUnits' } },
        { column: 'LotSizeSquareFeet', unit: 'sqft' },
      ],
    },
    list_price: 'ListPrice',
    sold_price: 'ClosePrice',
    listed_date: { first_of: ['OnMarketDate', 'ListingContractDate'] },
    status_date: 'StatusChangeTimestamp',
    sold_date: 'CloseDate',
    days_on_market: 'DaysOnMarket',
    sale_type: { first_of: ['PropertySubType', 'PropertyType'] },
    url: 'ListingURL',
    photos: 'Media[].MediaURL',
  },
};
