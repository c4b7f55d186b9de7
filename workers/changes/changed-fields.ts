import { PARCEL_FIELD_NAMES } from '../../shared/model/parcel-fields.ts';
import { measuredAcresSql, roundedSql, statedAcresSql } from '../../shared/model/shown-acres.ts';

/**
 * The old and new value of a field: SQL expressions in the API's format, with a type that can be compared.
 */
type Pair = readonly [name: string, was: string, is: string];

const both = (name: string, of: (row: string) => string, was: string, is: string): Pair => [
  name,
  of(was),
  of(is),
];

/** [longitude, latitude], as jsonb. */
const point = (row: string): string =>
  `case when ${row}.location is not null then jsonb_build_array(${row}.location[0] / 1e7, ${row}.location[1] / 1e7) end`;

const fips = (row: string): string => `lpad(${row}.fips::text, 5, '0')`;

/** `p` and `f` are the current rows. `r` and `s` are the staged ones. Shapes are compared by digest. */
const PARCEL: readonly Pair[] = [
  ...PARCEL_FIELD_NAMES.map((name): Pair => {
    if (name === 'acres') return both(name, statedAcresSql, 'p', 'r');
    if (name === 'owner_occupied')
      return [
        name,
        'coalesce(f.owner_occupied, p.owner_occupied)',
        'coalesce(r.lives_there, r.owner_occupied)',
      ];
    return [name, `p.${name}`, `r.${name}`];
  }),
  both('calculated_acres', measuredAcresSql, 'p', 's'),
  [
    'effective_acres',
    `coalesce(${statedAcresSql('p')}, ${measuredAcresSql('p')})`,
    `coalesce(${statedAcresSql('r')}, ${measuredAcresSql('s')})`,
  ],
  ['fips', fips('p'), `coalesce(${fips('r')}, ${fips('s')})`],
  both('point', point, 'p', 's'),
  // Computed after the merge. New parcels have none yet.
  ['assemblage', 'null::text', 'null::text'],
  ['assemblage_reason', 'null::text', 'null::text'],
  [
    'boundary',
    'case when p.boundary is not null then p.shape_hash end',
    'case when s.boundary is not null then s.hash end',
  ],
];

const LISTING: readonly Pair[] = [
  ...(['source', 'status', 'address', 'city', 'state', 'zip', 'county', 'apn'] as const).map(
    (name): Pair => [name, `l.${name}`, `s.${name}`],
  ),
  both('latitude', row => `coalesce(to_char(${row}.location[1] / 1e7, 'FM990.0000000'), '')`, 'l', 's'),
  both('longitude', row => `coalesce(to_char(${row}.location[0] / 1e7, 'FM990.0000000'), '')`, 'l', 's'),
  both('lot_size', row => roundedSql(`nullif(${row}.lot_acres, 0)`, 1e5), 'l', 's'),
  both('price', row => `${row}.price::float8`, 'l', 's'),
  both(
    'sold_date',
    row => `case when ${row}.status = 'SOLD' then to_char(${row}.sold_date, 'YYYY-MM-DD"T00:00:00Z"') end`,
    'l',
    's',
  ),
  ...(['sale_type', 'url', 'photos'] as const).map((name): Pair => [name, `l.${name}`, `s.${name}`]),
];

/** Fields of a parcel summary. New and returned parcels include them even when null. The API adds `url`. */
const SUMMARY = new Set(
  'apn fips point acres calculated_acres effective_acres owner_name situs_address situs_city situs_state situs_zip assemblage assemblage_reason'.split(
    ' ',
  ),
);

const given = (name: string, is: string): string => (SUMMARY.has(name) ? 'true' : `${is} is not null`);

/**
 * JSON text for each field that differs.
 * @param all an SQL condition. If it is true, fields that do not differ are included too
 */
const differing = (pairs: readonly Pair[], all = 'false'): string =>
  pairs
    .map(
      ([name, was, is]) =>
        `case when ${was} is distinct from ${is} or (${all} and ${given(name, is)}) then '"${name}":' || json_build_array(${was}, ${is}) end`,
    )
    .join(',\n      ');

/** JSON text for each field of a parcel that did not exist before. */
const added = (pairs: readonly Pair[]): string =>
  pairs
    .map(
      ([name, , is]) => `case when ${given(name, is)} then '"${name}":' || json_build_array(null, ${is}) end`,
    )
    .join(',\n  ');

/**
 * Fragments for changes/stage_parcel_changes and stage_new_parcels. Parcels that return to the roll get all
 * fields.
 */
export const PARCEL_CHANGES = { differing: differing(PARCEL, "m.state = 'returned'"), added: added(PARCEL) };

/** Fragment for changes/stage_listing_changes. Listings that are new or back on the market get all fields. */
export const LISTING_CHANGES = {
  differing: differing(
    LISTING.map(([name, was, is]) => [name, `case when t.type = 'listing.changed' then ${was} end`, is]),
  ),
};
