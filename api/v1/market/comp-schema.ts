import { z } from 'zod';
import { SHOWN_STATUSES } from '../../../shared/market/comps-query.ts';
import { isWebAddress } from '../../../shared/model/listing-fields.ts';
import { acresOf } from '../../../shared/model/shown-acres.ts';

const text = (description: string) => z.string().describe(description);
/** Seven decimal places, as stored. Empty if the source has no location. */
const degrees = (name: string) =>
  z
    .string()
    .regex(/^(-?[0-9]+\.[0-9]{7})?$/)
    .describe(`${name} in decimal degrees, WGS84. Empty when unknown.`);

export const comp = z
  .object({
    id: z.uuid(),
    source: text('Origin of the record.'),
    status: z
      .enum(SHOWN_STATUSES)
      .describe('ACTIVE is on the market, PENDING is under contract, SOLD is closed.'),
    address: text('Street address. Empty if unknown, as are the other text fields.'),
    city: text('City.'),
    state: text('Two-letter state code.'),
    zip: text('5-digit ZIP code.'),
    county: text('County name, as written by the source.'),
    apn: text("Assessor's parcel number."),
    latitude: degrees('Latitude'),
    longitude: degrees('Longitude'),
    lot_size: z.number().nullable().describe('Lot size in acres. Null if unknown.'),
    price: z
      .number()
      .describe('Sale price of a SOLD comp, or list price, in USD. 0 if the source withholds it.'),
    sold_date: z.iso.datetime().nullable().describe('Sale date at midnight UTC. Null unless SOLD.'),
    days_on_market: z
      .int()
      .nullable()
      .describe(
        'Days on market as the source reports them. Otherwise the days from listing to the latest status change, or to today (UTC) for ACTIVE. Null when neither is known.',
      ),
    sale_type: text('Type of sale, as the source labels it.'),
    url: text('Public http(s) URL of the listing. Empty if there is none.'),
    photos: z.array(z.string()).optional().describe('http(s) URLs of photos.'),
  })
  .meta({ id: 'Comp' });

export type Comp = z.output<typeof comp>;

/** A row of list_comps.sql. Coordinates are in units of 1e-7 degrees, and `sold_date` is YYYY-MM-DD. */
export type CompRow = Omit<Comp, 'latitude' | 'longitude'> & { lon_e7: number | null; lat_e7: number | null };

export function toComp(row: CompRow): Comp {
  const { id, source, status, address, city, state, zip, county, apn } = row;
  const { price, days_on_market, sale_type, url, photos } = row;
  return {
    id,
    source,
    status,
    address,
    city,
    state,
    zip,
    county,
    apn,
    latitude: inDegrees(row.lat_e7),
    longitude: inDegrees(row.lon_e7),
    lot_size: acresOf(row.lot_size),
    price,
    sold_date: row.sold_date === null ? null : `${row.sold_date}T00:00:00Z`,
    days_on_market,
    sale_type,
    url: isWebAddress(url) ? url : '',
    photos: photos?.filter(isWebAddress),
  };
}

const inDegrees = (e7: number | null): string => (e7 === null ? '' : (e7 / 1e7).toFixed(7));
