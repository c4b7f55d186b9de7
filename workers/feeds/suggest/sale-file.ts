import type { ListingField } from '../../../shared/domain/listing-fields.ts';
import { columnsOfPart } from '../column-schema.ts';
import { sourceColumns } from '../feed-columns.ts';
import { type ParcelTarget, PRESETS, type PresetName } from '../feed-schema.ts';
import { readPreset } from '../resolve-feed.ts';
import { parseNumber } from '../values/number-value.ts';
import { tidyText } from '../values/text-value.ts';
import type { Candidate } from './column-profile.ts';
import type { Suggestion, Suggestions } from './suggest-columns.ts';

/**
 * The preset of a file of sales that has these columns: all by which it knows parcel, day, price and the
 * sales that count. Undefined for rolls and other files.
 */
export function salePresetOf(names: readonly string[]): PresetName | undefined {
  const there = new Set(names.map(name => name.toUpperCase()));
  return PRESETS.find(name => {
    const { kind, key, columns, sales } = readPreset(name);
    if (kind !== 'listings' || sales === undefined || key === undefined) return false;
    const parts = typeof key === 'string' ? [key] : key.columns.flatMap(columnsOfPart);
    const read = [columns.sold_date, columns.sold_price].flatMap(column =>
      column === undefined ? [] : typeof column === 'string' ? [column] : sourceColumns(column),
    );
    const tested = (sales.where ?? []).map(({ column }) => column);
    return [...parts, ...read, ...tested].every(column => there.has(column.toUpperCase()));
  });
}

type Values = Record<string, unknown>;

/** What a file of sales tells of a sale, by the field of a roll that its column was suggested for. */
const LISTING_FIELD: Partial<Record<ParcelTarget, ListingField>> = {
  apn: 'apn',
  fips: 'fips',
  situs_address: 'address',
  situs_city: 'city',
  situs_state: 'state',
  situs_zip: 'zip',
  acres: 'lot_acres',
  last_sale_date: 'sold_date',
  last_sale_price: 'sold_price',
};

/** What rolls have, which may name sellers, too. */
const ROLL_FIELDS: readonly ParcelTarget[] = ['mail_address', 'assessed_total_value', 'market_total_value'];

/** A sale on every row, but for a few gifts. */
const MIN_SOLD = 0.9;

/**
 * The columns of a file of sales that no preset knows: each row has a day and a price, and parcels repeat, or
 * sellers stand where rolls have values. Undefined of rolls.
 */
export function saleColumns(
  { key, fields }: Suggestions,
  rows: readonly Values[],
):
  | { key: Candidate; code: string | undefined; fields: (Omit<Suggestion, 'field'> & { field: string })[] }
  | undefined {
  const of = (field: ParcelTarget) => fields.find(each => each.field === field)?.mapped ?? undefined;
  const [date, price] = [of('last_sale_date'), of('last_sale_price')];
  // A number that repeats is less sure to be a parcel's.
  const parcel = of('apn') ?? key ?? fields.find(({ field }) => field === 'apn')?.others[0];
  if (!date || !price || !parcel) return undefined;
  const texts = (candidate: Candidate, row: Values) =>
    candidate.columns
      .map(name => tidyText(row[name]) ?? '')
      .join(' ')
      .trim();
  const isSold = (row: Values) => {
    const usd = parseNumber(texts(price, row));
    return texts(date, row) !== '' && typeof usd === 'number' && usd > 0;
  };
  const distinct = new Set(rows.map(row => texts(parcel, row))).size;
  const sales = new Set(rows.map(row => `${texts(parcel, row)} ${texts(date, row)} ${texts(price, row)}`))
    .size;
  if (rows.filter(isSold).length < MIN_SOLD * rows.length) return undefined;
  const isOfSellers = of('seller_name') && !fields.some(({ field }) => ROLL_FIELDS.includes(field));
  if (sales === distinct && !isOfSellers) return undefined;
  return {
    key: parcel,
    code: of('sale_price_code')?.columns[0],
    fields: fields.flatMap(({ field, ...rest }) => {
      const name = LISTING_FIELD[field];
      return name === undefined ? [] : [{ ...rest, field: name }];
    }),
  };
}

const CODES_SHOWN = 8;
/** Below it a price is nominal. */
const MIN_PRICE = 1_000;

/** The section of what counts as a comp, with the codes from which one may choose. */
export function salesSection(code: string | undefined, rows: readonly Values[]): string[] {
  const lines = [
    '',
    'sales:  # a least price alone leaves gifts and family deeds in',
    `  min_price: ${MIN_PRICE}`,
  ];
  if (code === undefined) return lines;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = tidyText(row[code]) ?? '';
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const codes = [...counts].sort((a, b) => b[1] - a[1]).slice(0, CODES_SHOWN);
  const told = codes.map(([text, count]) => `${text || 'empty'} ${count}`).join(', ');
  return [
    ...lines,
    `  # ${code}, by rows: ${told}. Those of sales at arm's length of vacant land:`,
    `  # where: [{ column: ${JSON.stringify(code)}, in: [${JSON.stringify(codes[0]![0])}] }]`,
  ];
}
