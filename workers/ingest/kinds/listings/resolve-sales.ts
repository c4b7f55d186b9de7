import { z } from 'zod';
import type { ColumnSpec, Condition, KeySpec } from '../../../feeds/column-schema.ts';
import type { DeedColumns, Sales, SkipCondition } from '../../../feeds/feed.ts';
import { mergeColumns } from '../../../feeds/feed-columns.ts';
import { labelOf } from '../../../feeds/feed-head.ts';
import type { Preset } from '../../../feeds/presets.ts';
import { type SalesFile, salesSchema } from '../../../feeds/sales-schema.ts';
import type { FileOf } from '../../engine/feed-kind.ts';

export const SALES_SECTION = {
  sales: z
    .union([salesSchema, z.null()])
    .describe(
      "Which recorded sales become SOLD comps, from a roll's last_sale_date and last_sale_price, or from a file of sales by parcel number (listings.key). Overrides the properties of a preset. null: ignore the sales of a preset.",
    ),
};

/** A key that is one column, in its long form. */
export const keySpec = (key: string | KeySpec): KeySpec =>
  typeof key === 'string' ? { columns: [key] } : key;

/**
 * Merges the sales of a feed and its preset, property by property. null if there are none, or the feed turns
 * them off.
 */
export function salesOf(file: FileOf<typeof SALES_SECTION>, preset: Preset | null): Sales | null {
  if (file.sales === null || (file.sales ?? preset?.sales) === undefined) return null;
  const [own, inherited] = [file.sales ?? {}, preset?.sales ?? {}];
  const sales = { ...inherited, ...own };
  const isOptional = (name: keyof SalesFile) => own[name] === undefined;
  return {
    label: labelOf(file, sales),
    where: conditionsOf(sales.where, isOptional('where')),
    minPrice: sales.min_price ?? 1,
    saleType: sales.sale_type ?? '',
    deed: deedOf(sales, isOptional('book'), isOptional('multi_parcel')),
    prior: (sales.prior ?? []).map(({ date, price, where, ...deed }) => {
      const optional = isOptional('prior');
      const columns = columnsOf({ date, price }, optional);
      return { columns, deed: deedOf(deed, optional, optional), where: conditionsOf(where, optional) };
    }),
  };
}

/** Columns of a preset may be missing in a source. Those of a feed file may not. */
const columnsOf = <K extends string>(
  columns: Partial<Record<K, string | ColumnSpec | null | undefined>>,
  optional: boolean,
) => (optional ? mergeColumns(columns, {}) : mergeColumns({}, columns));

const conditionsOf = (conditions: readonly Condition[] = [], optional: boolean): SkipCondition[] =>
  conditions.map(test => (optional ? { ...test, optional } : test));

function deedOf(
  { book, multi_parcel }: Pick<SalesFile, 'book' | 'multi_parcel'>,
  bookOptional: boolean,
  marksOptional: boolean,
): DeedColumns {
  const columns = columnsOf({ book }, bookOptional);
  return { book: columns.book ?? null, multiParcel: conditionsOf(multi_parcel, marksOptional) };
}
