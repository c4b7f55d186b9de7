import type { FieldValue } from '../../../../shared/model/parcel-fields.ts';
import type { ColumnSpec } from '../../../feeds/column-schema.ts';
import type { DeedColumns, Sales, SkipCondition } from '../../../feeds/feed.ts';
import { alternatives } from '../../../feeds/feed-columns.ts';
import { hasDay } from '../../../feeds/values/date-value.ts';
import { isFailure, tidyText } from '../../../feeds/values/text-value.ts';
import type { TargetSpec } from '../../../feeds/values/value-parser.ts';
import { compileColumn } from '../../engine/map-column.ts';
import { compileCondition } from '../../engine/map-fields.ts';
import {
  columnMentions,
  conditionMentions,
  type Mention,
  type Resolve,
} from '../../engine/source-columns.ts';

export type Deed = {
  /** Identifies the deed, such as book and page. Null if unknown. */
  book: string | null;
  /**
   * Whether the deed covers several parcels. If null, it is unknown, and the date, price, and seller decide.
   */
  several: boolean | null;
};

export type PriorSale = Deed & { date: string; price: number };

export type MappedSales = {
  /** Whether the row's last sale becomes a comp. */
  sale: boolean;
  deed: Deed;
  prior: PriorSale[] | null;
};

const NO_SALES: MappedSales = { sale: false, deed: { book: null, several: null }, prior: null };

type Source = Record<string, unknown>;

const TARGETS = {
  date: { type: 'date', doc: '' },
  price: { type: 'money', doc: '', unit: 'USD' },
  book: { type: 'text', doc: '' },
} as const satisfies Record<string, TargetSpec>;

function compileValue(name: keyof typeof TARGETS, spec: ColumnSpec | null | undefined, resolve: Resolve) {
  const column = spec ? compileColumn({ name, spec: TARGETS[name] }, spec, resolve) : null;
  return (source: Source): FieldValue => {
    const value = column?.read(source) ?? null;
    return isFailure(value) ? null : (value as FieldValue);
  };
}

/**
 * Compiles conditions that must all be true. If a preset's column is missing from the source, they are false.
 */
function compileAll(conditions: readonly SkipCondition[], resolve: Resolve): (source: Source) => boolean {
  if (conditions.some(({ column, optional }) => optional && resolve(column) === null)) return () => false;
  const tests = conditions.map(condition => compileCondition(condition, resolve));
  return source => tests.every(test => test(source));
}

/**
 * Compiles a function that returns the sales of a row, given the date and price of the last sale. Without a
 * sales section, there are none.
 * @param dateColumn the column with the last sale's date
 */
export function compileSales(
  sales: Sales | null,
  dateColumn: ColumnSpec | undefined,
  resolve: Resolve,
): (source: Source, date: FieldValue, price: FieldValue) => MappedSales {
  if (sales === null) return () => NO_SALES;
  const isSale = compileSale(sales, resolve);
  const deedOf = compileDeed(sales.deed, dateColumn, resolve);
  const priorOf = compilePrior(sales, resolve);
  return (source, date, price) => ({
    sale: isSale(source, date, price),
    deed: deedOf(source),
    prior: priorOf(source),
  });
}

/**
 * @param date the column with the sale date. It must include the day, because equal prices in the same month
 * don't mean the same deed
 */
function compileDeed(
  { book, multiParcel }: DeedColumns,
  date: ColumnSpec | undefined,
  resolve: Resolve,
): (source: Source) => Deed {
  const nameOf = compileValue('book', book, resolve);
  const marks = multiParcel
    .filter(({ column, optional }) => !optional || resolve(column) !== null)
    .map(condition => compileCondition(condition, resolve));
  const isStated = marks.length > 0 || !alternatives(date ?? {}).every(way => hasDay(way.date));
  return source => {
    const text = tidyText(nameOf(source))?.toUpperCase() ?? null;
    // Values such as 0/0 and UNKNOWN don't identify a deed.
    const name = text !== null && /[1-9]/.test(text) ? text : null;
    if (marks.some(test => test(source))) return { book: name, several: true };
    return { book: name, several: isStated || name !== null ? false : null };
  };
}

/** Whether a row's sale has a date and the minimum price, and meets the feed's conditions. */
function compileSale({ where, minPrice }: Pick<Sales, 'where' | 'minPrice'>, resolve: Resolve) {
  const holds = compileAll(where, resolve);
  return (source: Source, date: FieldValue, price: FieldValue): boolean =>
    date !== null && typeof price === 'number' && price > 0 && price >= minPrice && holds(source);
}

/** Compiles a function that returns a row's earlier sales that become comps. */
function compilePrior(sales: Sales, resolve: Resolve): (source: Source) => PriorSale[] | null {
  const priors = sales.prior.map(({ columns, deed, where }) => ({
    date: compileValue('date', columns.date, resolve),
    price: compileValue('price', columns.price, resolve),
    deed: compileDeed(deed, columns.date, resolve),
    counts: compileSale({ where, minPrice: sales.minPrice }, resolve),
  }));
  if (priors.length === 0) return () => null;
  return source => {
    const priorSales = priors.flatMap(({ date, price, deed, counts }): PriorSale[] => {
      const [day, usd] = [date(source), price(source)];
      return counts(source, day, usd) ? [{ date: day as string, price: usd as number, ...deed(source) }] : [];
    });
    return priorSales.length === 0 ? null : priorSales;
  };
}

export function saleMentions({ where, deed, prior }: Sales): Mention[] {
  const ofDeed = (at: string, { book, multiParcel }: DeedColumns): Mention[] => [
    ...columnMentions(book ? { book } : {}).map(each => ({ ...each, where: `${at}.book` })),
    ...conditionMentions(`${at}.multi_parcel`, multiParcel),
  ];
  return [
    ...conditionMentions('sales.where', where),
    ...ofDeed('sales', deed),
    ...prior.flatMap(({ columns, deed: earlier, where: terms }) => [
      ...columnMentions(columns).map(each => ({ ...each, where: `sales.prior.${each.where}` })),
      ...ofDeed('sales.prior', earlier),
      ...conditionMentions('sales.prior.where', terms),
    ]),
  ];
}
