import { z } from 'zod';
import {
  LISTING_FIELD_NAMES,
  LISTING_FIELDS,
  type ListingField,
} from '../../../../shared/model/listing-fields.ts';
import {
  type ColumnSpec,
  type Condition,
  columnsOf,
  type KeySpec,
  keySchema,
  skipWhereSchema,
} from '../../../feeds/column-schema.ts';
import type { DeedColumns, FeedBase, MappedInput, Sales, SkipCondition } from '../../../feeds/feed.ts';
import { mappedInput, mergeColumns, type RowFields } from '../../../feeds/feed-columns.ts';
import { labelOf } from '../../../feeds/feed-head.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import type { Preset } from '../../../feeds/presets.ts';
import { type SalesFile, salesSchema } from '../../../feeds/sales-schema.ts';
import { INPUT_PROPERTIES, readWindow } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';

export const LISTING_ROWS: RowFields = { names: LISTING_FIELD_NAMES, specs: LISTING_FIELDS };

const listingsSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  label: z
    .string()
    .min(1)
    .describe(
      'The `source` of comps if the column `source` is not mapped. Default: the title of the feed, or its name.',
    )
    .optional(),
  snapshot: z
    .boolean()
    .describe(
      'Whether the source lists everything, so that an ACTIVE or PENDING listing that is no longer in it is off the market. Default: true, or false for format reso.',
    )
    .optional(),
  key: keySchema
    .describe(
      'For a file of sales by parcel number: the columns that identify the parcel, in the same format as in the parcel feed. `sales` says which become comps.',
    )
    .optional(),
  columns: columnsOf<ListingField>(LISTING_FIELD_NAMES, LISTING_FIELDS)
    .describe('Listing fields and where they come from.')
    .optional(),
  skip_where: skipWhereSchema,
});

export const LISTINGS_SECTIONS = {
  listings: listingsSchema.describe('Kind listings: the source and its columns.'),
};

export type ListingInput = MappedInput<ListingField> & {
  /** County of every listing, or null if the feed doesn't state one. */
  fips: number | null;
  /** Default `source` of comps. */
  label: string;
  snapshot: boolean;
  /** For a sales file by parcel number: how its rows are joined to parcels, and which of them are comps. */
  recorded: RecordedInput | null;
};

export type RecordedInput = { key: KeySpec; sales: Sales };

export type ListingsFeed = FeedBase & { kind: 'listings'; listings: ListingInput };

export function resolveListings(
  file: FileOf<typeof LISTINGS_SECTIONS & typeof SALES_SECTION>,
  base: FeedBase,
  report: Report,
  preset: Preset | null,
): ListingsFeed {
  const section = file.listings!;
  const within = readWindow(section, base.fips, 'parcels', message => report('listings.within', message));
  const input = mappedInput<ListingField>({ ...preset?.input, ...section }, preset, within);
  const label = labelOf(file, section);
  const sales = salesOf(file, preset);
  const resolved = (snapshot: boolean, recorded: RecordedInput | null): ListingsFeed => {
    return { ...base, kind: 'listings', listings: { ...input, fips: base.fips, label, snapshot, recorded } };
  };
  const key = section.key ?? (sales ? preset?.key : undefined);
  if (sales || key !== undefined) {
    if (key === undefined) report('listings', 'sales needs a key: the columns that identify the parcel');
    if (!sales) report('listings.key', 'needs a section sales, which says which rows become comps');
    for (const field of ['sold_date', 'sold_price'] as const)
      if (!input.columns[field]) report('listings', `columns.${field} is required`);
    return resolved(true, sales && key !== undefined ? { key: keySpec(key), sales } : null);
  }
  const snapshot = section.snapshot ?? section.format !== 'reso';
  for (const field of ['source_id', 'status'] as const)
    if (!input.columns[field]) report('listings', `columns.${field} is required`);
  // A RESO run fetches only changes, so as a snapshot it would make all other listings look withdrawn.
  if (snapshot && section.format === 'reso') report('listings.snapshot', 'must be false for format reso');
  if (!input.columns.list_price && !input.columns.sold_price)
    report('listings', 'columns.list_price or columns.sold_price is required');
  return resolved(snapshot, null);
}

export const SALES_SECTION = {
  sales: z
    .union([salesSchema, z.null()])
    .describe(
      "Which recorded sales become SOLD comps, from a roll's last_sale_date and last_sale_price, or from a file of sales by parcel number (listings.key). Overrides the preset's properties. null: ignore the preset's sales.",
    ),
};

export const keySpec = (key: string | KeySpec): KeySpec =>
  typeof key === 'string' ? { columns: [key] } : key;

/**
 * Merges the sales of a feed and its preset, property by property. Null if there are none, or if the feed
 * turns them off.
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
      const columns = specsOf({ date, price }, optional);
      return { columns, deed: deedOf(deed, optional, optional), where: conditionsOf(where, optional) };
    }),
  };
}

/** A preset's columns may be missing from a source. A feed file's columns may not. */
const specsOf = <K extends string>(
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
  const columns = specsOf({ book }, bookOptional);
  return { book: columns.book ?? null, multiParcel: conditionsOf(multi_parcel, marksOptional) };
}
