import { z } from 'zod';
import { columnsOf, skipWhereSchema } from '../../../feeds/column-schema.ts';
import type { FeedBase, MappedInput } from '../../../feeds/feed.ts';
import { mappedInput, rowFields } from '../../../feeds/feed-columns.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import type { TargetSpec } from '../../../feeds/values/value-parser.ts';
import { INPUT_PROPERTIES } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';

const FIELDS: Record<string, TargetSpec> = {
  area_code: { type: 'text', doc: 'Area code, 3 digits; required' },
  exchange: { type: 'text', doc: 'Exchange (central office code), 3 digits; required' },
  block: { type: 'text', doc: 'Thousands block, 1 digit; empty for the whole exchange' },
  operator: { type: 'text', doc: 'Carrier that the block is assigned to' },
  line_type: { type: 'line_type', doc: "Mobile or Landline. Default: derived from the carrier's name" },
};
export const NUMBERING_ROWS = rowFields(FIELDS);

const numberingSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  columns: columnsOf(NUMBERING_ROWS.names, FIELDS).describe(
    'Fields of a number block, and where they come from.',
  ),
  skip_where: skipWhereSchema,
});

export const NUMBERING_SECTIONS = {
  numbering: numberingSchema.describe('Kind numbering: the source and its columns.'),
};

export type NumberingInput = MappedInput<string>;

export type NumberingFeed = FeedBase & { kind: 'numbering'; numbering: NumberingInput };

export function resolveNumbering(
  { numbering: section }: FileOf<typeof NUMBERING_SECTIONS>,
  base: FeedBase,
  report: Report,
): NumberingFeed {
  const { columns } = section!;
  for (const field of ['area_code', 'exchange'] as const)
    if (!columns[field]) report('numbering', `columns.${field} is required`);
  if (!columns.line_type && !columns.operator)
    report('numbering', 'columns.line_type or columns.operator is required');
  return { ...base, kind: 'numbering', numbering: mappedInput(section!) };
}
