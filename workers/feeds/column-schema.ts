import { z } from 'zod';
import { LINE_PARTS } from './values/address-value.ts';
import { isDateFormat } from './values/date-value.ts';

/** Units for a source's areas. */
export const AREA_UNITS = ['acres', 'sqft', 'sqm', 'hectares'] as const;
export type AreaUnit = (typeof AREA_UNITS)[number];

const columnName = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const columnProperties = z
  .strictObject({
    column: columnName.describe(
      "Column of the source. Case is ignored if there is no exact match. 'Media[].MediaURL' reads a property of every entry in a list. '$id' is a GeoJSON feature's id.",
    ),
    columns: z.array(columnName).min(2).describe('Several columns, joined as text. Empty ones are skipped.'),
    sum: z
      .literal(true)
      .describe('Adds the numbers of the columns instead of joining them. Empty ones are skipped.'),
    join: z.string().describe('Text between joined columns. Default: one space.'),
    part: z
      .enum(LINE_PARTS)
      .describe(
        "Part of a one-line mailing address, such as '12 OAK ST APT 4 EAU CLAIRE WI 54701' or 'EAU CLAIRE, WI', with or without commas. Text that Plat can't assign to a part stays with the street.",
      ),
    value: scalar.describe('The same value for every row, instead of a column.'),
    values: z
      .record(z.string(), scalar)
      .describe(
        "Maps the source's text (case is ignored, '' is an empty cell) to the value that it means. Other values are used unchanged, unless `otherwise` is set.",
      ),
    contains: z
      .record(z.string(), scalar)
      .describe(
        'Maps text that contains a string (case is ignored) to the value that it means. Applies to text that `values` does not list.',
      ),
    ranges: z
      .array(
        z.strictObject({
          below: z.number().describe('The range ends before this number. Default: it has no end.').optional(),
          value: scalar.describe('What a number in the range means.'),
        }),
      )
      .min(1)
      .describe(
        'Maps numbers to values: the first range that contains the number. Applies to text that `values` and `contains` do not list.',
      ),
    otherwise: scalar.describe(
      'Value for everything that `values`, `contains`, and `ranges` do not list, including empty cells.',
    ),
    scale: z
      .number()
      .positive()
      .describe(
        "Factor that converts the source's number to the field's unit, such as 1000 for values in thousands.",
      ),
    decimal: z
      .literal(',')
      .describe(
        'Set this if the source writes decimals with a comma: 2,5 is two and a half, and 51.000 is fifty-one thousand. Default: a decimal point, and commas between thousands.',
      ),
    unit: z
      .union([
        z.enum(AREA_UNITS),
        z
          .strictObject({
            column: columnName.describe(
              "Column with each row's unit: 'Acres', 'Square Feet', 'SF', 'Hectares' …",
            ),
            otherwise: z.enum(AREA_UNITS).describe('Unit of rows without one. Default: acres.').optional(),
          })
          .describe('The unit is in its own column.'),
      ])
      .describe(
        "Unit of the source's area, converted to the field's unit (acres, or square feet for building_sqft).",
      ),
    date: z
      .string()
      .refine(isDateFormat, {
        error:
          'is not a date format: combine YYYY, YY, MM, M, DD, D, MON with separators, or use ISO, excel, epoch_ms, or epoch_s',
      })
      .describe(
        'Date format, such as YYYYMMDD, M/D/YY, DD-MON-YYYY, YYYY-M (first of the month), ISO, excel (day numbers in Excel), epoch_ms, epoch_s. MON is a month name, short or long: MON D, YYYY reads both Sep 14, 2000 and September 14, 2000. Default: ISO, YYYY/MM/DD, YYYYMMDD, M/D/YYYY, and epoch milliseconds are recognized.',
      ),
    optional: z
      .boolean()
      .describe('true: no error if the source lacks the column. Columns of a preset are always optional.'),
  })
  .partial();

type OneOf = { column?: unknown; columns?: unknown; value?: unknown; first_of?: unknown };

function exactlyOneSource(spec: OneOf, context: z.RefinementCtx): void {
  const given = (['column', 'columns', 'value', 'first_of'] as const).filter(
    name => spec[name] !== undefined,
  );
  if (given.length === 1) return;
  const message =
    given.length === 0
      ? "has no source for the value; set 'column', 'columns', 'value', or 'first_of'"
      : `sets ${given.join(' and ')}; set only one of them`;
  context.addIssue({ code: 'custom', message });
}

const plainColumn = columnProperties.superRefine(exactlyOneSource);

const columnObject = columnProperties
  .extend({
    first_of: z
      .array(z.union([columnName, plainColumn]))
      .min(2)
      .describe('Several ways to fill the field. Plat uses the first that has a value.')
      .optional(),
  })
  .superRefine(exactlyOneSource);

export type PlainColumn = z.infer<typeof plainColumn>;
export type ColumnSpec = z.infer<typeof columnObject>;

const plainName = columnName.describe('Column of the source, used unchanged.');

export const requiredColumnSchema = z.union([plainName, columnObject]);

export const columnSchema = z.union([plainName, columnObject, z.null()]).meta({
  id: 'Column',
  description:
    'Where a field comes from: a column name, the long form, or null to skip a column that a preset maps.',
});

const keyPart = z.strictObject({
  columns: z.array(columnName).min(1).describe('Columns that form the part. Empty ones are skipped.'),
  join: z.string().describe('Text between them. Default: none.').optional(),
  strip_leading_zeros: z.boolean().describe("Reads '00029' as '29'. Default: false.").optional(),
});
export type KeyPart = string | z.infer<typeof keyPart>;

const keyObject = z.strictObject({
  columns: z
    .array(z.union([columnName, keyPart]))
    .min(1)
    .describe(
      'Columns that form the key, in this order. Write several columns that form one part as { columns, join }.',
    ),
  join: z.string().describe("Text between the parts. Default: '-'.").optional(),
  split: z
    .string()
    .min(1)
    .describe("Splits the text into parts first: '11-10-01' split at '-' has the parts 11, 10, and 01.")
    .optional(),
  strip_leading_zeros: z.boolean().describe("Reads '000012' as '12'. Default: false.").optional(),
  drop_empty: z
    .boolean()
    .describe(
      'Drops parts that are empty or all zeros: 000010, 000012, 000000 becomes 10-12. Default: false.',
    )
    .optional(),
});
export type KeySpec = z.infer<typeof keyObject>;

export const columnsOfPart = (part: KeyPart): string[] => (typeof part === 'string' ? [part] : part.columns);

export const keySchema = z
  .union([columnName.describe('The column that identifies a parcel.'), keyObject])
  .meta({
    id: 'Key',
    description:
      'What identifies a parcel within its county, in every run of the feed. Case and white space are ignored.',
  });

const TESTS = ['in', 'not_in', 'equals', 'contains', 'min', 'max', 'present'] as const;

export const conditionSchema = z
  .strictObject({
    column: columnName.describe('Column of the source.'),
    in: z.array(scalar).min(1).describe('True if the text is one of these. Case is ignored.').optional(),
    not_in: z.array(scalar).min(1).describe('True if the text is none of these.').optional(),
    equals: scalar.describe('True if the text is equal to this.').optional(),
    contains: z.string().min(1).describe('True if the text contains this.').optional(),
    min: z.number().describe('True if the number is this or more.').optional(),
    max: z.number().describe('True if the number is this or less.').optional(),
    present: z.boolean().describe('Whether the cell must be filled (true) or empty (false).').optional(),
  })
  .superRefine((condition, context) => {
    if (TESTS.some(test => condition[test] !== undefined)) return;
    context.addIssue({ code: 'custom', message: `tests nothing; set one of ${TESTS.join(', ')}` });
  })
  .meta({
    id: 'Condition',
    description: 'A test of one column. If it has several conditions, all of them must be true.',
  });

export type Condition = z.infer<typeof conditionSchema>;

export const skipWhereSchema = z
  .array(conditionSchema)
  .describe(
    'Conditions for skipping rows. A row is skipped if any of them is true. Skipped rows are counted, but not rejected.',
  )
  .optional();

export function columnsOf<Target extends string>(
  targets: readonly Target[],
  docs: Record<Target, { doc: string; unit?: string }>,
) {
  const shape = targets.map(target => {
    const { doc, unit } = docs[target];
    return [target, columnSchema.optional().describe(unit === undefined ? `${doc}.` : `${doc}, in ${unit}.`)];
  });
  return z.strictObject(Object.fromEntries(shape) as Record<Target, z.ZodOptional<typeof columnSchema>>);
}
