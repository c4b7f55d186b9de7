import { PARCEL_FIELD_NAMES } from '../../shared/domain/parcel-fields.ts';

/** What a field was and is: expressions as the API shows it, in which a type has an equality. */
type Pair = readonly [name: string, was: string, is: string];

const both = (name: string, of: (row: string) => string, was: string, is: string): Pair => [
  name,
  of(was),
  of(is),
];

/** Half up, as JavaScript rounds what is shown. */
const rounded = (value: string, unit: number): string => `floor(${value} * ${unit} + 0.5) / ${unit}`;

/** [longitude, latitude], as jsonb. */
const point = (row: string): string =>
  `case when ${row}.location is not null then jsonb_build_array(${row}.location[0] / 1e7, ${row}.location[1] / 1e7) end`;

/**
 * The fields of a parcel: what a roll fills, what is measured of its shape, and in place of the shape itself
 * the digest that tells it from others. `p`, `f`: the rows before; `r`, `s`: the staged ones.
 */
const PARCEL: readonly Pair[] = [
  ...PARCEL_FIELD_NAMES.map((name): Pair => {
    if (name === 'acres') return both(name, row => rounded(`${row}.acres`, 1e6), 'p', 'r');
    if (name === 'owner_occupied')
      return [
        name,
        'coalesce(f.owner_occupied, p.owner_occupied)',
        'coalesce(r.lives_there, r.owner_occupied)',
      ];
    return [name, `p.${name}`, `r.${name}`];
  }),
  both('calculated_acres', row => rounded(`${row}.calculated_acres`, 100), 'p', 's'),
  both('point', point, 'p', 's'),
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
  both('lot_size', row => rounded(`nullif(${row}.lot_acres, 0)`, 1e6), 'l', 's'),
  both('price', row => `${row}.price::float8`, 'l', 's'),
  both(
    'sold_date',
    row => `case when ${row}.status = 'SOLD' then to_char(${row}.sold_date, 'YYYY-MM-DD"T00:00:00Z"') end`,
    'l',
    's',
  ),
  ...(['sale_type', 'url', 'photos'] as const).map((name): Pair => [name, `l.${name}`, `s.${name}`]),
];

/** A text of JSON for each field that differs. @param also when else a field that is known is told */
const differing = (pairs: readonly Pair[], also = 'false'): string =>
  pairs
    .map(
      ([name, was, is]) =>
        `case when ${was} is distinct from ${is} or (${also} and ${is} is not null) then '"${name}":' || json_build_array(${was}, ${is}) end`,
    )
    .join(',\n      ');

/** What was not there before has been nothing. */
const known = (pairs: readonly Pair[]): string =>
  pairs
    .map(
      ([name, , is]) => `case when ${is} is not null then '"${name}":' || json_build_array(null, ${is}) end`,
    )
    .join(',\n  ');

/** Fragments of changes/stage_parcel_changes and stage_new_parcels: one that is back tells all of itself. */
export const PARCEL_CHANGES = { differing: differing(PARCEL, "m.state = 'returned'"), known: known(PARCEL) };

/** Fragment of changes/stage_listing_changes: one that is new, or back on the market, tells all of itself. */
export const LISTING_CHANGES = {
  differing: differing(
    LISTING.map(([name, was, is]) => [name, `case when t.type = 'listing.changed' then ${was} end`, is]),
  ),
};
