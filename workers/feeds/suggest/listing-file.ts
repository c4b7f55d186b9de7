import { LISTING_FIELDS, type ListingField } from '../../../shared/model/listing-fields.ts';
import type { ColumnSpec } from '../column-schema.ts';
import { fitDate } from './column-fit.ts';
import { type Profile, profileOf } from './column-profile.ts';
import type { Sample } from './suggest-columns.ts';

/** Column names in exports from listing services, without spaces and punctuation. */
const NAMES: Partial<Record<ListingField, RegExp>> = {
  source_id:
    /^(mls|mlsid|mlsno|mlsnum|mlsnumber|listingid|listingkey|listingno|listingnum|listingnumber|listno|listnumber|listid|listkey|ml|mlnumber|lnum|zpid)$/,
  status: /^(listing|list|mls|standard|property|current|sale|home)?(status|stat|statuscode)$/,
  list_price: /^(current|last|original|orig)?(list|listing|listed|asking|ask)(price|prc|amount|amt)?$|^lp$/,
  sold_price: /^(sold|sale|sales|selling|close|closed|closing|final)(price|prc|amount|amt)$|^sp$/,
  listed_date:
    /^(list|listed|listing|onmarket|active|posted)(contract)?(date|dt|on)$|^date(listed|onmarket|posted)$|^(listdt|ld)$/,
  sold_date:
    /^(last)?(sold|sale|sales|close|closed|closing|coe|settled|settlement)(date|dt|on)$|^date(sold|closed)$/,
  status_date: /^(status|statuschange|lastchange|pending|contract)(date|dt|timestamp)$/,
  days_on_market:
    /^(c?dom|adom|(cumulative)?daysonmarket|daysonmkt|dayson(mls|zillow)|marketdays|daysactive)$/,
  latitude: /^(geo)?(lat|latitude)$/,
  longitude: /^(geo)?(lon|lng|long|longitude)$/,
  address:
    /^(full|street|property|site|unparsed|listing)?(address|addr)(line1|1|full)?$|^(full)?street(line)?$/,
  city: /^(city|cityname|town|municipality)$/,
  state: /^(state|stateorprovince|st|stateabbr)$/,
  zip: /^(zip|zipcode|postalcode|zip5|ziporpostalcode)$/,
  county: /^(county|countyname|countyorparish)$/,
  fips: /^(fips|countyfips|fipscode)$/,
  apn: /^(apn|parcel|parcelid|parcelno|parcelnum|parcelnumber|pin|taxid|taxparcelid|taxnumber|assessorparcelnumber)$/,
  lot_acres:
    /^(lot|land|total|approx|approximate|est)?(size)?(acres|acreage|ac)$|^(lot|land)(size|area|sizearea)?$/,
  sale_type: /^(property|prop|sale|listing)(sub)?type$|^(type|saleterms)$/,
  url: /^(listing|property|virtualtour|detail)?(url|link)$|^urlsee/,
  photos: /^(photo|image|picture|primaryphoto)s?(url|link)?s?$/,
};
const IN_SQUARE_FEET = /^(lot|land)(size)?(sq|square)(ft|feet|foot)$|^(lot|land)(size)?sf$/;
const PRICE = /^(price|amount|prc)$/;
const ID = /^(id|key|recordid|propertyid|rowid|number|no|num)$/;

const STATUS_WORDS: [status: string, words: RegExp][] = [
  [
    'PENDING',
    /^(pending|pend|p|under ?contract|active ?under ?contract|a ?uc|uc|contingent|active contingent|option pending|in escrow|sale pending|offer accepted|u)$/i,
  ],
  ['SOLD', /^(sold|closed|closed sale|settled|s|sld|cls|closd|recently sold)$/i],
  ['ACTIVE', /^(active|act|a|for ?sale|new|available|back on market|bom|price change|reactivated|listed)$/i],
  [
    'OFF_MARKET',
    /^(off[ _]?market|expired|exp|x|withdrawn|w|wd|cancell?ed|can|c|terminated|t|hold|temp(orarily)? off( the)? market|tom|coming ?soon|delete|deleted|incomplete|inactive|removed|delisted)$/i,
  ],
];
/** First match wins: an accepted offer takes precedence over the word "active". */
const LOOSE_WORDS: [status: string, words: RegExp][] = [
  ['PENDING', /pending|contract|contingent|escrow/i],
  ['SOLD', /\b(sold|closed)\b/i],
  ['OFF_MARKET', /off market|expired|withdrawn|cancel|terminated|inactive|coming soon|\bhold\b/i],
  ['ACTIVE', /\bactive\b|for sale|available/i],
];
const PLAIN = new Set(['ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET']);
/** Statuses that only listings have. Parcels can be active or inactive too. */
const OF_LISTINGS =
  /sold|closed|pending|for[ _]?sale|under ?contract|contingent|expired|withdrawn|coming ?soon|off[ _]?market|cancell?ed/i;
const MARKS: readonly ListingField[] = [
  'source_id',
  'list_price',
  'listed_date',
  'days_on_market',
  'sold_date',
];

export type ListingColumns = { columns: Partial<Record<ListingField, ColumnSpec>>; marks: string[] };

/** The columns of a listing export, recognized by statuses, asking prices, days on market, or MLS numbers. */
export function listingColumns({ columns: sampled, acres }: Sample): ListingColumns | null {
  // A file with boundaries is a parcel map.
  if (acres.some(area => area !== null)) return null;
  const profiles = sampled.map(({ name, alias, values }) => profileOf(name, alias, values));
  const found = new Map<ListingField, Profile>();
  for (const [field, names] of Object.entries(NAMES) as [ListingField, RegExp][]) {
    const fits = profiles.filter(profile => names.test(bare(profile.name)) && isFilled(field, profile));
    // Ids differ from row to row, unlike the name of the listing service.
    const rank = ({ filled, distinct }: Profile) => (field === 'source_id' ? distinct : filled.length);
    if (fits.length > 0) found.set(field, fits.sort((a, b) => rank(b) - rank(a))[0]!);
  }
  const status = found.get('status');
  if (status && !areStatuses(status)) found.delete('status');
  const price = profiles.find(({ name, numeric }) => PRICE.test(bare(name)) && numeric > 0.9);
  const marks = MARKS.filter(field => found.has(field)).map(field => found.get(field)!.name);
  if (!isOfListings(found, marks.length, price !== undefined)) return null;
  addPrices(found, price);
  const id = profiles.find(profile => ID.test(bare(profile.name)) && profile.filled.length > 0);
  if (!found.has('source_id') && id) found.set('source_id', id);
  const shown = found.get('status')?.name;
  return { columns: specsOf(found, profiles), marks: shown === undefined ? marks : [shown, ...marks] };
}

/** Whether an export uses the column names of the RESO Data Dictionary, which the `reso` preset reads. */
export function isReso(names: readonly string[]): boolean {
  const there = new Set(names.map(name => name.toLowerCase()));
  return ['listingkey', 'standardstatus', 'listprice'].every(name => there.has(name));
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function isOfListings(found: ReadonlyMap<ListingField, Profile>, marks: number, hasPrice: boolean): boolean {
  const status = found.get('status');
  const isPriced = hasPrice || found.has('list_price') || found.has('sold_price');
  if (!isPriced) return false;
  if (status?.filled.some(text => OF_LISTINGS.test(text))) return true;
  // Rolls and sales files have sale dates and prices too.
  const asked = marks - (found.has('sold_date') ? 1 : 0);
  return asked >= (status ? 1 : 2);
}

/**
 * A column named only "price" is the sale price if there is also an asking price. Otherwise the status
 * decides.
 */
function addPrices(found: Map<ListingField, Profile>, price: Profile | undefined): void {
  if (price === undefined) return;
  if (!found.has('sold_price')) found.set('sold_price', price);
  if (!found.has('list_price')) found.set('list_price', price);
}

function isFilled(field: ListingField, profile: Profile): boolean {
  if (profile.filled.length === 0) return false;
  const { type } = LISTING_FIELDS[field];
  if (type === 'number' || type === 'degrees' || type === 'integer') return profile.numeric > 0.8;
  return type !== 'date' || fitDate(profile) !== null;
}

/** Recognizes a status by its full text, or else by a word in it: 'Active - Contingent', 'A - Active'. */
function statusOf(text: string): string | undefined {
  const words = text.replace(/[_-]+/g, ' ').replace(/\s+/g, ' ').trim();
  const [exact] = STATUS_WORDS.filter(([, whole]) => whole.test(words));
  return (exact ?? LOOSE_WORDS.find(([, part]) => part.test(words)))?.[0];
}

/**
 * Minimum share of known statuses. Rows with other statuses are rejected with a message that names the
 * status.
 */
const KNOWN_STATUSES = 0.95;
const areStatuses = ({ filled }: Profile): boolean =>
  filled.filter(text => statusOf(text)).length >= KNOWN_STATUSES * filled.length;

function specsOf(
  found: ReadonlyMap<ListingField, Profile>,
  profiles: readonly Profile[],
): Partial<Record<ListingField, ColumnSpec>> {
  const specs: Partial<Record<ListingField, ColumnSpec>> = {};
  for (const [field, profile] of found) {
    const date = LISTING_FIELDS[field].type === 'date' ? fitDate(profile) : null;
    const size = field === 'lot_acres' ? unitOf(profile) : null;
    if (field === 'lot_acres' && size === null) continue;
    const more = { ...date?.spec, ...(size === 'sqft' && { unit: size }) };
    specs[field] = { column: profile.name, ...more, ...(field === 'status' && statusValues(profile)) };
  }
  const feet = profiles.find(({ name, numeric }) => IN_SQUARE_FEET.test(bare(name)) && numeric > 0.8);
  if (!specs.lot_acres && feet) specs.lot_acres = { column: feet.name, unit: 'sqft' };
  // If there are no statuses, a file with a sale date and price in every row contains sales.
  const [day, price] = [found.get('sold_date'), found.get('sold_price')];
  const isSold = day && price && day.texts.every((text, i) => text !== null && price.texts[i] !== null);
  if (!specs.status && isSold) specs.status = { value: 'SOLD' };
  return specs;
}

/**
 * If the median size is at or above this number, it can only be in square feet, because lot sizes in acres
 * are smaller numbers.
 */
const MIN_SQUARE_FEET = 1_500;

/**
 * The unit of a lot size, by its name and values. Null for whole numbers that could mean anything: LOT 12.
 */
function unitOf({ name, numbers }: Profile): 'acres' | 'sqft' | null {
  const sizes = numbers.filter(value => value !== null && value > 0).toSorted((a, b) => a! - b!) as number[];
  if ((sizes[Math.floor(sizes.length / 2)] ?? 0) >= MIN_SQUARE_FEET) return 'sqft';
  const isSaid = /ac(res?|reage)?$/.test(bare(name));
  return isSaid || sizes.some(size => !Number.isInteger(size)) ? 'acres' : null;
}

function statusValues({ filled }: Profile): Pick<ColumnSpec, 'values'> | null {
  const words = [...new Set(filled)].filter(text => !PLAIN.has(text.toUpperCase()) && statusOf(text));
  if (words.length === 0) return null;
  return { values: Object.fromEntries(words.map(text => [text, statusOf(text)!])) };
}
