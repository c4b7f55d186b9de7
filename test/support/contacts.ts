import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import { parseFeed } from '../../workers/ingest/load-feeds.ts';

export type ContactLine = Partial<Record<(typeof COLUMNS)[number], string>>;

/** A person with a complete address. */
export const ADA = {
  first: 'Ada',
  last: 'Nowell',
  address: '12 Zephyr St',
  city: 'Keene',
  state: 'NH',
  zip: '03431',
};

const COLUMNS = [
  ...(['id', 'company', 'first', 'middle', 'last', 'suffix', 'address', 'city', 'state', 'zip'] as const),
  ...(['old_address', 'old_zip', 'phone1', 'type1', 'phone2', 'phone3', 'email', 'seen'] as const),
];

/** Builds a contacts feed from lines with the relevant columns. */
export function contactsFeed(folder: string, lines: readonly ContactLine[], name = 'people'): Feed {
  const rows = lines.map((line, i) =>
    COLUMNS.map(column => (column === 'id' ? (line.id ?? String(i)) : (line[column] ?? ''))),
  );
  writeFileSync(join(folder, `${name}.csv`), [COLUMNS, ...rows].map(row => row.join(';')).join('\n'));
  const text = `
name: ${name}
kind: contacts
contacts:
  source: ${name}.csv
  format: csv
  delimiter: ";"
  columns:
    source_id: id
    entity_name: company
    first_name: first
    middle_name: middle
    last_name: last
    suffix: suffix
    address: address
    city: city
    state: state
    zip: zip
    previous_address: old_address
    previous_zip: old_zip
    phone_1: phone1
    phone_1_type: type1
    phone_2: phone2
    phone_3: phone3
    emails: email
    last_seen: seen
`;
  return parseFeed(text, join(folder, `${name}.yaml`));
}

/** A feed of people and numbers that nobody should call, such as known litigators. */
export function withheldFeed(
  folder: string,
  lines: readonly ContactLine[],
  { name = 'litigators', reason = 'Known litigator' } = {},
): Feed {
  contactsFeed(folder, lines, name);
  const text = `
name: ${name}
kind: contacts
contacts:
  list: suppressions
  reason: ${reason}
  source: ${name}.csv
  format: csv
  delimiter: ";"
  columns:
    entity_name: company
    first_name: first
    last_name: last
    address: address
    city: city
    state: state
    zip: zip
    phone_1: phone1
    phone_2: phone2
`;
  return parseFeed(text, join(folder, `${name}.yaml`));
}
