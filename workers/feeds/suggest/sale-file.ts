import type { ListingField } from '../../../shared/model/listing-fields.ts';
import { type ColumnSpec, columnsOfPart } from '../column-schema.ts';
import { sourceColumns } from '../feed-columns.ts';
import type { ParcelTarget } from '../parcel-targets.ts';
import { PRESETS, type PresetName, readPreset } from '../presets.ts';
import { dateParser } from '../values/date-value.ts';
import { parseNumber } from '../values/number-value.ts';
import { tidyText } from '../values/text-value.ts';
import type { Candidate } from './column-profile.ts';
import type { Suggestion, Suggestions } from './suggest-columns.ts';
import { inline } from './write-feed.ts';

/** The preset for a sales file with these columns. Undefined for rolls and other files. */
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

/** Columns of a sales file, by the roll field that was suggested for each. */
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
  longitude: 'longitude',
  latitude: 'latitude',
};

/** Roll fields that sales files sometimes include, as of the sale date. */
const VALUES: readonly ParcelTarget[] = [
  'assessed_total_value',
  'assessed_land_value',
  'assessed_improvement_value',
  'market_total_value',
  'market_land_value',
  'market_improvement_value',
];

/** Every row is a sale. A gift has no price, or a price of 0. */
const MIN_SOLD = 0.9;
const MIN_PAID = 0.3;
/** In a roll, parcels' last sales go back decades. */
const SALE_YEARS = 3;
const MIN_ROWS = 10;

export type SaleColumns = {
  key: Candidate | null;
  code: string | undefined;
  deed: ColumnSpec | undefined;
  fields: (Omit<Suggestion, 'field'> & { field: string })[];
};

/** The columns of a sales file that no preset matches. Undefined for rolls. */
export function saleColumns(
  { key, fields }: Suggestions,
  rows: readonly Values[],
  names: readonly string[],
): SaleColumns | undefined {
  const of = (field: ParcelTarget) => fields.find(each => each.field === field)?.mapped ?? undefined;
  // The name of a date or price column alone is not conclusive.
  const likely = (field: ParcelTarget) => of(field) ?? fields.find(each => each.field === field)?.others[0];
  const [date, price] = [likely('last_sale_date'), likely('last_sale_price')];
  if (!date || !price) return undefined;
  // Prefer a unique number, because a number that repeats is less likely to be a parcel number.
  const parcel = of('apn') ?? key ?? likely('apn') ?? null;
  const texts = (candidate: Candidate, row: Values) =>
    candidate.columns
      .map(name => tidyText(row[name]) ?? '')
      .join(' ')
      .trim();
  const prices = rows.map(row => parseNumber(texts(price, row)));
  const isSold = (row: Values, i: number) => texts(date, row) !== '' && typeof prices[i] === 'number';
  const paid = prices.filter(usd => typeof usd === 'number' && usd > 0).length;
  if (rows.filter(isSold).length < MIN_SOLD * rows.length || paid < MIN_PAID * rows.length) return undefined;
  const distinct = new Set(rows.map(row => parcel && texts(parcel, row))).size;
  const sales = new Set(rows.map(row => parcel && [parcel, date, price].map(each => texts(each, row)).join()))
    .size;
  const deed = deedColumn(names, rows);
  // Rows with a date and a price may also be parcels with their last sales.
  const areSales = () => {
    if (sales > distinct) return true;
    if (of('mail_address')) return false;
    const isValued = VALUES.some(of);
    const isOfSellers = of('seller_name') !== undefined;
    if (isOfSellers && !isValued) return true;
    const isOfDeeds = Boolean(deed ?? of('document_type_code') ?? of('sale_price_code'));
    const days = rows.map(row => texts(date, row));
    if (of('owner_name')) return !isValued && isOfDeeds && areRecent(days, date);
    return !isValued || isOfSellers || isOfDeeds || areRecent(days, date);
  };
  if (!areSales()) return undefined;
  const mapped = fields.map(each => {
    const best = { last_sale_date: date, last_sale_price: price }[each.field as string];
    return best ? { ...each, mapped: best, others: each.others.filter(other => other !== best) } : each;
  });
  return {
    key: parcel,
    code: of('sale_price_code')?.columns[0],
    deed,
    fields: mapped.flatMap(({ field, ...rest }) => {
      const name = LISTING_FIELD[field];
      return name === undefined ? [] : [{ ...rest, field: name }];
    }),
  };
}

/** Whether all sales are within a few years. */
function areRecent(texts: readonly string[], { spec }: Candidate): boolean {
  const parse = dateParser(spec.date, new Date().getUTCFullYear() + 1);
  const years = texts.map(parse).flatMap(day => (typeof day === 'string' ? [Number(day.slice(0, 4))] : []));
  return years.length >= MIN_ROWS && Math.max(...years) - Math.min(...years) < SALE_YEARS;
}

const DEED_NUMBER =
  /^(sale)?(doc|document|instrument|instr|inst|deed)(no|num|number|nbr|id)?$|^(recording|recorded|reception|rec|entry)(no|num|number|nbr|id)$/;
const BOOK = /^(deed|or|official|record)?(book|bk|liber|volume|vol)(no|num|number|nbr)?$/;
const PAGE = /^(deed|or|official|record)?(page|pg|folio)(no|num|number|nbr)?$/;

/** What identifies a sale's deed: the deed's number, or else its book and page. */
function deedColumn(names: readonly string[], rows: readonly Values[]): ColumnSpec | undefined {
  const find = (pattern: RegExp) =>
    names.find(name => {
      const filled = rows.flatMap(row => tidyText(row[name]) ?? []);
      const numbered = filled.filter(text => /[1-9]/.test(text));
      return (
        pattern.test(name.toLowerCase().replace(/[^a-z]/g, '')) &&
        numbered.length > 0.5 * rows.length &&
        numbered.length > 0.9 * filled.length
      );
    });
  const [number, book, page] = [find(DEED_NUMBER), find(BOOK), find(PAGE)];
  if (number !== undefined) return { column: number };
  return book !== undefined && page !== undefined ? { columns: [book, page], join: '/' } : undefined;
}

const CODES_SHOWN = 8;
const MIN_PRICE = 1_000;

/** The section that says which sales become comps, with the codes to choose from. */
export function salesSection({ code, deed }: SaleColumns, rows: readonly Values[]): string[] {
  const lines = [
    '',
    'sales:  # min_price alone does not exclude gifts and family deeds',
    `  min_price: ${MIN_PRICE}`,
    ...(deed
      ? [`  book: ${inline(deed.column ?? deed)}  # parcels on the same deed were sold together`]
      : []),
  ];
  if (code === undefined) return lines;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = tidyText(row[code]) ?? '';
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const codes = [...counts].sort((a, b) => b[1] - a[1]).slice(0, CODES_SHOWN);
  const shown = codes.map(([text, count]) => `${text || 'empty'} ${count}`).join(', ');
  return [
    ...lines,
    `  # Rows by ${code}: ${shown}. To keep only arm's-length sales of vacant land, list its codes:`,
    `  # where: [{ column: ${JSON.stringify(code)}, in: [${JSON.stringify(codes[0]![0])}] }]`,
  ];
}
