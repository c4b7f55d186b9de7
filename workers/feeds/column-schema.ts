import { z } from 'zod';
import { LINE_PARTS } from './values/address-value.ts';
import { isDateFormat } from './values/date-value.ts';

/** Units of a source's area. */
export const AREA_UNITS = ['acres', 'sqft', 'sqm', 'hectares'] as const;
export type AreaUnit = (typeof AREA_UNITS)[number];

const columnName = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const columnProperties = z
  .strictObject({
    column: columnName.describe(
      "Column of the source. Upper and lower case do not matter where the source has no exact match. 'Media[].MediaURL' takes a property of every entry of a list; '$id' is a GeoJSON feature's id.",
    ),
    columns: z
      .array(columnName)
      .min(2)
      .describe('Several columns whose texts are joined; empty ones are left out.'),
    sum: z
      .literal(true)
      .describe('The numbers of the columns are added up instead; empty ones count as nothing.'),
    join: z.string().describe('Text between joined columns. Default: one space.'),
    part: z
      .enum(LINE_PARTS)
      .describe(
        "The part that is meant of an address in one line, as mail has it: '12 OAK ST APT 4 EAU CLAIRE WI 54701', 'EAU CLAIRE, WI'. With commas or without; what cannot be told apart stays with the street.",
      ),
    value: scalar.describe('The same value for every row, instead of a column.'),
    values: z
      .record(z.string(), scalar)
      .describe(
        "Recoding: the source's text (case does not matter, '' is an empty cell) to the value it stands for. Values not listed are taken as they are unless `otherwise` is given.",
      ),
    contains: z
      .record(z.string(), scalar)
      .describe(
        'Recoding of values that `values` does not list: a part of the text (case does not matter) to the value that it stands for.',
      ),
    otherwise: scalar.describe(
      'What every value that `values` and `contains` do not know stands for, empty cells included.',
    ),
    scale: z
      .number()
      .positive()
      .describe("Factor from the source's number to the field's unit, such as 1000 for values in thousands."),
    decimal: z
      .literal(',')
      .describe(
        "The decimal mark of the source's numbers where it is a comma: 2,5 is two and a half, 51.000 fifty-one thousand. Default: a point, and commas between thousands.",
      ),
    unit: z
      .union([
        z.enum(AREA_UNITS),
        z
          .strictObject({
            column: columnName.describe(
              "Column that holds each row's unit: 'Acres', 'Square Feet', 'SF', 'Hectares' …",
            ),
            otherwise: z
              .enum(AREA_UNITS)
              .describe('Unit of rows that state none. Default: acres.')
              .optional(),
          })
          .describe('The unit stands in a column of its own.'),
      ])
      .describe(
        "Unit of the source's area, converted to the field's unit (acres, or square feet for building_sqft).",
      ),
    date: z
      .string()
      .refine(isDateFormat, {
        error:
          'is no date format: combine YYYY, YY, MM, M, DD, D, MON with separators, or give ISO, excel, epoch_ms or epoch_s',
      })
      .describe(
        'Date format, such as YYYYMMDD, M/D/YY, DD-MON-YYYY, YYYY-M (first of the month), ISO, excel (days as Excel counts them), epoch_ms, epoch_s. MON is the name of a month, short or long: MON D, YYYY reads both Sep 14, 2000 and September 14, 2000. Default: ISO, YYYY/MM/DD, YYYYMMDD, M/D/YYYY and epoch milliseconds are recognised.',
      ),
    optional: z
      .boolean()
      .describe('No error when the source has no such column. Columns of a preset are optional anyway.'),
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
      ? "says nothing about where the value comes from; give 'column', 'columns', 'value' or 'first_of'"
      : `gives ${given.join(' and ')}; give one of them`;
  context.addIssue({ code: 'custom', message });
}

const plainColumn = columnProperties.superRefine(exactlyOneSource);

const columnObject = columnProperties
  .extend({
    first_of: z
      .array(z.union([columnName, plainColumn]))
      .min(2)
      .describe('Several ways to fill the field: the first that gives a value counts.')
      .optional(),
  })
  .superRefine(exactlyOneSource);

export type PlainColumn = z.infer<typeof plainColumn>;
export type ColumnSpec = z.infer<typeof columnObject>;

const plainName = columnName.describe('Column of the source, taken as it is.');

export const requiredColumnSchema = z.union([plainName, columnObject]);

export const columnSchema = z.union([plainName, columnObject, z.null()]).meta({
  id: 'Column',
  description:
    'Where a field comes from: a column name, the long form, or null to leave out what a preset maps.',
});

const keyPart = z.strictObject({
  columns: z.array(columnName).min(1).describe('Columns whose texts make the part; empty ones are left out.'),
  join: z.string().describe('Text between them. Default: none.').optional(),
  strip_leading_zeros: z.boolean().describe("'00029' counts as '29'. Default: false.").optional(),
});
export type KeyPart = string | z.infer<typeof keyPart>;

const keyObject = z.strictObject({
  columns: z
    .array(z.union([columnName, keyPart]))
    .min(1)
    .describe(
      'Columns whose texts make the key, in this order; several that make one part of it as { columns, join }.',
    ),
  join: z.string().describe("Text between the parts. Default: '-'.").optional(),
  split: z
    .string()
    .min(1)
    .describe("The text is first cut into parts here: '11-10-01' split at '-' has the parts 11, 10 and 01.")
    .optional(),
  strip_leading_zeros: z.boolean().describe("'000012' counts as '12'. Default: false.").optional(),
  drop_empty: z
    .boolean()
    .describe('Parts that are empty or all zeros vanish: 000010, 000012, 000000 is 10-12. Default: false.')
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
    in: z
      .array(scalar)
      .min(1)
      .describe('Holds when the text is one of these; case does not matter.')
      .optional(),
    not_in: z.array(scalar).min(1).describe('Holds when the text is none of these.').optional(),
    equals: scalar.describe('Holds when the text is this.').optional(),
    contains: z.string().min(1).describe('Holds when this is a part of the text.').optional(),
    min: z.number().describe('Holds when the number is at least this.').optional(),
    max: z.number().describe('Holds when the number is at most this.').optional(),
    present: z.boolean().describe('true: holds when the cell is not empty; false: when it is.').optional(),
  })
  .superRefine((condition, context) => {
    if (TESTS.some(test => condition[test] !== undefined)) return;
    context.addIssue({ code: 'custom', message: `tests nothing; give one of ${TESTS.join(', ')}` });
  })
  .meta({ id: 'Condition', description: 'A test of one column; all that it lists must hold.' });

export type Condition = z.infer<typeof conditionSchema>;

export const skipWhereSchema = z
  .array(conditionSchema)
  .describe('Rows to leave out: those for which any of these holds. They are counted, not rejected.')
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
