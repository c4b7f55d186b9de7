import { accessSql } from '../../../../shared/land/access-sql.ts';
import { waterfrontSql } from '../../../../shared/land/waterfront-sql.ts';
import {
  FILTERED_FIELDS,
  type FieldType,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
} from '../../../../shared/model/parcel-fields.ts';
import { type Fragments, literal } from '../../../../shared/platform/statements.ts';

const SQL_TYPES: Record<FieldType, string> = {
  text: 'text',
  state: 'text',
  zip: 'text',
  boolean: 'boolean',
  date: 'date',
  integer: 'int',
  year: 'int',
  money: 'bigint',
  number: 'double precision',
};

const COLUMNS = {
  declared: PARCEL_FIELD_NAMES.map(name => `${name} ${SQL_TYPES[PARCEL_FIELDS[name].type]}`).join(',\n  '),
  fields: PARCEL_FIELD_NAMES.join(', '),
  staged: PARCEL_FIELD_NAMES.map(name => `r.${name}`).join(', '),
  assigned: PARCEL_FIELD_NAMES.map(name => `${name} = r.${name}`).join(',\n  '),
  copied: FILTERED_FIELDS.join(', '),
  kept: PARCEL_FIELD_NAMES.map(name => `p.${name}`).join(', '),
  access: accessSql('a.access', 'r'),
  waterfront: waterfrontSql('a.waterfront_ft', 'r'),
  staged_copies: FILTERED_FIELDS.map(name => `r.${name}`).join(', '),
};

export function rollParts(
  numbers: Record<string, number | string | boolean | readonly number[]> = {},
): Fragments {
  const literals = Object.entries(numbers).map(([part, value]) => [part, literal(value)]);
  return { ...COLUMNS, ...Object.fromEntries(literals) };
}
