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
  columns: columnsOf(CONTACT_FIELD_NAMES, CONTACT_FIELDS).describe(
    'Contact fields and where they come from.',
  ),
  skip_where: skipWhereSchema,
});

export const CONTACT_SECTIONS = {
  contacts: contactsSchema.describe('Kind contacts: the source and its columns.'),
};

/** `label` is the default `source` of people, used if the source column is not mapped. */
export type ContactInput = MappedInput<string> & { label: string };

export type ContactsFeed = FeedBase & { kind: 'contacts'; contacts: ContactInput };

export function resolveContacts(
  file: FileOf<typeof CONTACT_SECTIONS>,
  base: FeedBase,
  report: Report,
): ContactsFeed {
  const section = file.contacts!;
  const { columns } = section;
  const named = columns.name || columns.entity_name || (columns.first_name && columns.last_name);
  if (!named) report('contacts.columns', 'needs name, entity_name, or first_name and last_name');
  if (!columns.zip && !(columns.city && columns.state))
    report('contacts.columns', 'needs zip, or city and state');
  if (!columns.phone_1) report('contacts.columns', 'needs phone_1');
  return { ...base, kind: 'contacts', contacts: { ...mappedInput(section), label: labelOf(file, section) } };
}
