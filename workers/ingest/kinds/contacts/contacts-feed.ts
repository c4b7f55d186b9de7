import { z } from 'zod';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS } from '../../../../shared/model/contact-fields.ts';
import { columnsOf, skipWhereSchema } from '../../../feeds/column-schema.ts';
import type { FeedBase, MappedInput } from '../../../feeds/feed.ts';
import { mappedInput, type RowFields } from '../../../feeds/feed-columns.ts';
import { labelOf } from '../../../feeds/feed-head.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import { INPUT_PROPERTIES } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';

export const CONTACT_ROWS: RowFields = {
  names: CONTACT_FIELD_NAMES,
  specs: CONTACT_FIELDS,
  isPersonal: true,
};

const contactsSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  label: z
    .string()
    .min(1)
    .describe(
      'The `source` of contacts if the column `source` is not mapped. Default: the title of the feed, or its name.',
    )
    .optional(),
  list: z
    .enum(['contacts', 'suppressions'])
    .describe(
      '`contacts`: people with their phone numbers. `suppressions`: people and numbers that you must not call, such as known litigators. Traces withhold their numbers. Default: contacts.',
    )
    .optional(),
  reason: z
    .string()
    .min(1)
    .max(60)
    .describe('With `list: suppressions`: what users see instead of the numbers, such as Known litigator.')
    .optional(),
  columns: columnsOf(CONTACT_FIELD_NAMES, CONTACT_FIELDS).describe(
    'Contact fields and where they come from.',
  ),
  skip_where: skipWhereSchema,
});

export const CONTACT_SECTIONS = {
  contacts: contactsSchema.describe('Kind contacts: the source and its columns.'),
};

/** `label` is the default `source` of people, used if the source column is not mapped. */
export type ContactInput = MappedInput<string> & {
  label: string;
  /** For people whose numbers are withheld: why. Null for contacts. */
  withheldReason: string | null;
};

export type ContactsFeed = FeedBase & { kind: 'contacts'; contacts: ContactInput };

export function resolveContacts(
  file: FileOf<typeof CONTACT_SECTIONS>,
  base: FeedBase,
  report: Report,
): ContactsFeed {
  const section = file.contacts!;
  const { columns, list = 'contacts', reason } = section;
  const named = columns.name || columns.entity_name || (columns.first_name && columns.last_name);
  const placed = columns.zip || (columns.city && columns.state);
  if (list === 'suppressions') {
    if (reason === undefined) report('contacts.reason', 'is required with list: suppressions');
    if (!columns.phone_1 && !(named && placed))
      report('contacts.columns', 'needs phone_1, or a name with zip, or with city and state');
  } else {
    if (reason !== undefined) report('contacts.reason', 'needs list: suppressions');
    if (!named) report('contacts.columns', 'needs name, entity_name, or first_name and last_name');
    if (!placed) report('contacts.columns', 'needs zip, or city and state');
    if (!columns.phone_1) report('contacts.columns', 'needs phone_1');
  }
  const withheldReason = list === 'suppressions' ? (reason ?? '') : null;
  const contacts = { ...mappedInput(section), label: labelOf(file, section), withheldReason };
  return { ...base, kind: 'contacts', contacts };
}
