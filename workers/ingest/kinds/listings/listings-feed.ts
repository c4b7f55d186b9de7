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
      'The `source` of comps whose `source` is not mapped. Default: the title, else the name of the feed.',
    )
    .optional(),
  snapshot: z
    .boolean()
    .describe(
      'Whether the source lists everything, so that an ACTIVE or PENDING listing that is gone from it has left the market. Default: true; false for format reso.',
    )
    .optional(),
  key: keySchema
    .describe(
      "A file of sales by parcel number: what identifies the parcel, as the parcels' feed writes it; `sales` tells which are comps.",
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
  /** County of every listing, or null when the feed does not give one. */
  fips: number | null;
  /** `source` of comps whose source is not mapped. */
  label: string;
  snapshot: boolean;
  /** Of a file of sales by parcel number: what its rows are joined by, and which of them are comps. */
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
    if (key === undefined) report('listings', 'sales need a key: the columns that identify the parcel sold');
    if (!sales) report('listings.key', 'needs a section sales: which of the rows are comps');
    for (const field of ['sold_date', 'sold_price'] as const)
      if (!input.columns[field]) report('listings', `columns.${field} is required`);
    return resolved(true, sales && key !== undefined ? { key: keySpec(key), sales } : null);
  }
  const snapshot = section.snapshot ?? section.format !== 'reso';
  for (const field of ['source_id', 'status'] as const)
    if (!input.columns[field]) report('listings', `columns.${field} is required`);
  // A RESO run fetches what changed: the rest would be taken for gone.
  if (snapshot && section.format === 'reso') report('listings.snapshot', 'must be false for format reso');
  if (!input.columns.list_price && !input.columns.sold_price)
    report('listings', 'columns.list_price or columns.sold_price is required');
  return resolved(snapshot, null);
}

export const SALES_SECTION = {
  sales: z
    .union([salesSchema, z.null()])
    .describe(
      "Which recorded sales become SOLD comps: of a roll's last_sale_date and last_sale_price, or of a file of sales by parcel number (listings.key). Its properties win over those of a preset. null: the sales of a preset are left out.",
    ),
};

export const keySpec = (key: string | KeySpec): KeySpec =>
  typeof key === 'string' ? { columns: [key] } : key;

/** The sales of a feed and of its preset, property by property; null where none are there or wanted. */
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

/** Columns of a preset may be missing in a source, those of a feed file not. */
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
