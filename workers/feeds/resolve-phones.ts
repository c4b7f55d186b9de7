import { mergeColumns } from './columns.ts';
import type { FeedFile } from './definition.ts';
import type { ContactsFeed, DncFeed, FeedBase, NumberingFeed } from './feed.ts';
import { inputSpec } from './input-schema.ts';
import type { Report } from './locate.ts';
import type { ChangeColumn } from './phone-schema.ts';

/** A feed of people with their telephone numbers, or null with what is wrong reported. */
export function contacts(file: FeedFile, base: FeedBase, report: Report): ContactsFeed | null {
  const section = file.contacts;
  if (!section) {
    report('kind', 'contacts needs a section contacts: what to read and how it maps');
    return null;
  }
  const { columns } = section;
  const named = columns.name || columns.entity_name || (columns.first_name && columns.last_name);
  if (!named) report('contacts.columns', 'map name, entity_name, or first_name and last_name');
  if (!columns.zip && !(columns.city && columns.state))
    report('contacts.columns', 'map zip, or city and state');
  if (!columns.phone_1) report('contacts.columns', 'map phone_1');
  return {
    ...base,
    kind: 'contacts',
    contacts: {
      input: inputSpec(section),
      columns: mergeColumns({}, columns),
      skipWhere: section.skip_where ?? [],
      label: section.label ?? file.title ?? file.name,
    },
  };
}

/** A feed of blocks of telephone numbers, or null with what is wrong reported. */
export function numbering(file: FeedFile, base: FeedBase, report: Report): NumberingFeed | null {
  const section = file.numbering;
  if (!section) {
    report('kind', 'numbering needs a section numbering: what to read and how it maps');
    return null;
  }
  for (const field of ['area_code', 'exchange'] as const)
    if (!section.columns[field]) report('numbering', `columns.${field} is required`);
  if (!section.columns.line_type && !section.columns.operator)
    report('numbering', 'columns.line_type or columns.operator is required');
  return {
    ...base,
    kind: 'numbering',
    numbering: {
      input: inputSpec(section),
      columns: mergeColumns({}, section.columns),
      skipWhere: section.skip_where ?? [],
    },
  };
}

const USUAL: readonly ChangeColumn[] = ['area_code', 'number', 'date', 'action'];

/** A feed of the Do Not Call registry, or null with what is wrong reported. */
export function dnc(file: FeedFile, base: FeedBase, report: Report): DncFeed | null {
  const section = file.dnc;
  if (!section) {
    report('kind', 'dnc needs a section dnc: what to read');
    return null;
  }
  const { list = 'full', columns = USUAL, edition = null } = section;
  const tells = columns.includes('phone') || (columns.includes('area_code') && columns.includes('number'));
  if (!tells || !columns.includes('action'))
    report('dnc.columns', 'needs action, and phone or area_code with number');
  return {
    ...base,
    kind: 'dnc',
    dnc: { sources: [section.source].flat(), list, edition, columns: [...columns] },
  };
}
