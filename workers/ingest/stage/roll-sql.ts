import { compose, literal } from '../../../shared/base/db.ts';
import {
  FILTERED_FIELDS,
  type FieldType,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
} from '../../../shared/domain/parcel-fields.ts';

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

/** The fields of parcels p as one object, built in parts, as a function takes at most 100 arguments. */
function keptFields(most: number): string {
  const parts = Array.from({ length: Math.ceil(PARCEL_FIELD_NAMES.length / most) }, (_, i) =>
    PARCEL_FIELD_NAMES.slice(most * i, most * (i + 1)).map(name => `'${name}', p.${name}`),
  );
  return parts.map(pairs => `jsonb_build_object(${pairs.join(', ')})`).join(' || ');
}

const COLUMNS = {
  declared: PARCEL_FIELD_NAMES.map(name => `${name} ${SQL_TYPES[PARCEL_FIELDS[name].type]}`).join(',\n  '),
  fields: PARCEL_FIELD_NAMES.join(', '),
  staged: PARCEL_FIELD_NAMES.map(name => `r.${name}`).join(', '),
  assigned: PARCEL_FIELD_NAMES.map(name => `${name} = r.${name}`).join(',\n  '),
  copied: FILTERED_FIELDS.join(', '),
  kept: keptFields(40),
  staged_copies: FILTERED_FIELDS.map(name => `r.${name}`).join(', '),
};

export function rollSql(
  name: string,
  numbers: Record<string, number | string | boolean | readonly number[]> = {},
): string {
  const literals = Object.entries(numbers).map(([part, value]) => [part, literal(value)]);
  return compose(name, { ...COLUMNS, ...Object.fromEntries(literals) });
}
