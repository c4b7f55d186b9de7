import { z } from 'zod';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS } from '../../shared/model/contact-fields.ts';
import { INPUT_PROPERTIES } from '../formats/format-input.ts';
import { columnsOf, skipWhereSchema } from './column-schema.ts';
import { daySchema } from '../ingest/layers/layer-schema.ts';
import type { TargetSpec } from './values/value-parser.ts';

export const NUMBERING_FIELDS: Record<string, TargetSpec> = {
  area_code: { type: 'text', doc: 'Area code, three digits; required' },
  exchange: { type: 'text', doc: 'Exchange (central office code), three digits; required' },
  block: { type: 'text', doc: 'Thousand-block, one digit; empty for the whole exchange' },
  operator: { type: 'text', doc: 'Carrier to which the block is assigned' },
  line_type: { type: 'line_type', doc: "Mobile or Landline. Default: by the carrier's name" },
};
export const NUMBERING_FIELD_NAMES = Object.keys(NUMBERING_FIELDS);

export const contactsSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  label: z
    .string()
    .min(1)
    .describe(
      'The `source` of contacts whose `source` is not mapped. Default: the title, else the name of the feed.',
    )
    .optional(),
  columns: columnsOf(CONTACT_FIELD_NAMES, CONTACT_FIELDS).describe(
    'Contact fields and where they come from.',
  ),
  skip_where: skipWhereSchema,
});

export const numberingSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  columns: columnsOf(NUMBERING_FIELD_NAMES, NUMBERING_FIELDS).describe(
    'Fields of a block and where they come from.',
  ),
  skip_where: skipWhereSchema,
});

const CHANGE_COLUMNS = ['area_code', 'number', 'phone', 'date', 'action', 'ignore'] as const;
export type ChangeColumn = (typeof CHANGE_COLUMNS)[number];

export const dncSchema = z.strictObject({
  source: INPUT_PROPERTIES.source,
  list: z
    .enum(['full', 'changes'])
    .describe(
      'full: all numbers of its area codes, which take the place of what was known of them; changes: what one day has added and deleted. Default: full.',
    )
    .optional(),
  edition: daySchema
    .describe("Day of the list. Default: the date in its file's name (2026-11-20 or 20261120).")
    .optional(),
  columns: z
    .array(z.enum(CHANGE_COLUMNS))
    .min(2)
    .describe(
      'Order of the columns of a change list as text: area_code and number (7 digits) or phone (10), action (A or D), date. Default: area_code, number, date, action.',
    )
    .optional(),
});
