import fc from 'fast-check';
import { ROAD_ACCESS } from '../../shared/model/land-layers.ts';
import { type FieldType, PARCEL_FIELD_NAMES, PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';
import { figuresOf, overlayOf, putOverlays, type TestOverlay } from './overlays.ts';
import { insertAssemblages, insertEstimates, insertParcels, square, type TestParcel } from './parcels.ts';
import { COMMITTED_AT, COMMITTED_VERSIONS, READINGS } from './plain-filter.ts';
import type { TestDb } from './test-db.ts';

/**
 * Small domains, so that values often coincide. Each includes strings and numbers that are hard to compare.
 */
const CODES = ['R1', 'r1', 'C-2', '0100', '100', 'É', '%', 'a_b'];
const NAMES = [
  "O'Neil Trust",
  'ONEIL, MARY',
  'Smith & Sons LLC',
  'SMITHSON',
  'José Peña',
  'LLC',
  '100% Co_op',
  '-',
];
const PHRASES = ['oneil', "O'NEIL", 'llc', 'smith', 'Jose', 'peña', 'mary', 'sons llc', 'co op', '100'];
const PIECES = ['%', '_', '\\', 'smith', 'O', "'N", 'ONS', '&', 'x'];
const NUMBERS = [0, 0.1, 0.5, 1, 2.25, 12.3, 60, 60.1, 99.9, 100];
const WHOLE = [0, 1, 2, 1950, 2020, 100_000];
const YEARS = [1950, 1999, 2024, 2025, 2026];
const ZIPS = ['03280', '03456', '04401', '00501'];
export const COUNTIES = [33_019, 33_005, 23_019];
const OWNERS = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'];

const today = new Date();
const isoDay = (date: Date) => date.toISOString().slice(0, 10);
const TODAY = isoDay(today);
/** Dates around whole months before today, and around the end of February. */
const DAYS = [0, 1, 2, 12, 13].flatMap(months =>
  [-1, 0, 1].map(days =>
    isoDay(
      new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, today.getUTCDate() + days)),
    ),
  ),
);
DAYS.push('2024-02-28', '2024-02-29', '2024-03-01');

const from = <T>(values: readonly T[]) => fc.constantFrom(...values);
const orNull = <T>(values: readonly T[]) => fc.option(from(values), { freq: 4, nil: null });
const maybe = fc.constantFrom(true, false, null);
const columns = (names: string[], values: fc.Arbitrary<unknown>) =>
  Object.fromEntries(names.map(name => [name, values]));

/** A value that a roll could have in a field of this type. */
function anyOf(type: FieldType): fc.Arbitrary<unknown> {
  switch (type) {
    case 'number':
      return orNull(NUMBERS);
    case 'integer':
    case 'money':
      return orNull(WHOLE);
    case 'year':
      return orNull(YEARS);
    case 'date':
      return orNull(DAYS);
    case 'boolean':
      return maybe;
    default:
      return orNull(CODES);
  }
}

/** Locations on a grid of 0.01 degrees. Parcels are squares of 0.01 degrees, so neighbors touch. */
const place = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }));

const parcel = fc.record({
  county: from(COUNTIES),
  cell: fc.option(place, { freq: 5, nil: null }),
  ...Object.fromEntries(PARCEL_FIELD_NAMES.map(name => [name, anyOf(PARCEL_FIELDS[name].type)])),
  ...columns(['improvement_percent', 'wetlands_percent', 'flood_zone_percent'], orNull(NUMBERS)),
  ...columns(['buildable_acres', 'buildable_percent', 'buildable_patch_acres'], orNull(NUMBERS)),
  ...columns(
    ['highway_frontage_ft', 'road_frontage_ft', 'local_frontage_ft', 'waterfront_ft'],
    orNull(NUMBERS),
  ),
  ...columns(['out_of_state_owner', 'out_of_county_owner', 'out_of_zip_owner'], maybe),
  ...columns(['corporate_owner', 'hoa_owner', 'landlocked', 'waterfront'], maybe),
  access: orNull(ROAD_ACCESS.filter(access => access !== 'unknown')),
  ...columns(['owner_name', 'owner_name_2', 'seller_name'], orNull(NAMES)),
  situs_zip: orNull(ZIPS),
  owner_key: orNull(OWNERS),
  steeper_percent: fc.option(fc.array(from(NUMBERS), { minLength: 11, maxLength: 11 }), {
    freq: 4,
    nil: null,
  }),
});
export type Generated = TestParcel & { cell: [number, number] | null };

function toParcel(row: Record<string, unknown>, index: number): Generated {
  const { county, cell, ...rest } = row as { county: number; cell: [number, number] | null };
  const made: TestParcel = {
    property_id: county * 1e8 + index + 1,
    ...rest,
    ...(cell && { boundary: square(-72 + cell[0] * 0.01, 43 + cell[1] * 0.01, 0.01), calculated_acres: 200 }),
  };
  made.effective_acres = made.acres ?? made.calculated_acres ?? null;
  // Some parcels have no estimate.
  made.value = index % 4 === 0 ? null : (index % 5) * 1_000.25;
  made.row_version = index % COMMITTED_VERSIONS.length;
  made.value_per_acre = index % 4 === 0 ? null : (index % 7) / 3;
  // Some parcels are alone.
  made.assemblage_acres = index % 3 === 0 ? null : (index % 5) * 0.5;
  made.assemblage_parcels = index % 3 === 0 ? null : 2 + (index % 4);
  // Some parcels aren't covered, and some have nothing nearby.
  made.zoning =
    index % 5 === 0
      ? null
      : figuresOf(
          made.property_id,
          'zoning',
          { house: (index % 3) * 12.3, shop: (index % 4) * 20.1 },
          { nearest_ft: index % 7 === 0 ? null : (index % 7) * 50.05 },
        );
  return { ...made, cell };
}

export const PARCELS: Generated[] = fc.sample(parcel, { numRuns: 240, seed: 20_261_120 }).map(toParcel);
/** A list that contains every third parcel. */
const LIST_ID = '0d9c6a4e-6a39-4f5b-9c5c-0e8f6f3a1b11';
const isListed = ({ property_id }: Generated) => property_id % 3 === 0;

const list = (values: readonly (string | number)[]) =>
  fc.uniqueArray(from(values), { minLength: 1, maxLength: 3 });
const compact = (days: readonly string[]) => days.map(text => text.replaceAll('-', ''));

/** A lower bound doesn't exceed its upper bound. */
function bounds(name: string, values: readonly number[]): fc.Arbitrary<Record<string, number>> {
  return fc.record({ min: from(values), max: from(values) }, { requiredKeys: [] }).map(({ min, max }) => ({
    ...(min !== undefined && { [`${name}_min`]: Math.min(min, max ?? min) }),
    ...(max !== undefined && { [`${name}_max`]: Math.max(max, min ?? max) }),
  }));
}

const overlays = fc.array(
  fc
    .tuple(
      fc.record({ classes: fc.subarray(['house', 'shop'], { minLength: 1 }) }, { requiredKeys: [] }),
      bounds('percent', [0, 12.3, 24.6, 32.4, 60.3, 100]),
      bounds('distance_ft', [0, 50.05, 100.1, 300.3, 500]),
    )
    .map(parts => Object.assign({ name: 'zoning' }, ...parts)),
  { minLength: 1, maxLength: 2 },
);

/** A value for a filter, based on its declaration and its name. */
export function generateFor({ name, type, values, field }: (typeof FILTERS)[number]): fc.Arbitrary<unknown> {
  if (values !== undefined) return type === 'list of strings' ? list(values) : from(values);
  if (name === 'overlays') return overlays;
  if (type === 'boolean') return fc.boolean();
  if (type === 'date') return from([...compact(DAYS), 20_240_229]);
  if (/^(county|counties)$/.test(name)) {
    const codes = fc.oneof(from(COUNTIES), from(COUNTIES.map(String)));
    return name === 'county' ? codes : fc.array(codes, { minLength: 1, maxLength: 3 });
  }
  if (name.startsWith('zips')) return list([...ZIPS, 3280, 501]);
  if (name === 'state') return from(['NH', 'me', 'FL']);
  if (name === 'property_id' || name === 'owner_parcel_id')
    return from(PARCELS.filter(row => row.owner_key !== null).map(row => row.property_id));
  if (name === 'list_id') return from([LIST_ID]);
  if (name === 'seller_name_contains') return list(PIECES);
  if (name.startsWith('owner_name_')) return name === 'owner_name_2' ? from(NAMES) : list(PHRASES);
  if (name === 'owner_name') return from(NAMES.map(text => text.toLowerCase()));
  if (name === 'changed_since')
    return from([
      ...COMMITTED_VERSIONS,
      ...COMMITTED_AT,
      '2000-01-01',
      '2099-01-02T01:00:00+01:00',
      '2100-01-01',
    ]);
  if (type === 'list of strings') return list([...CODES, 100]);
  if (type === 'string') return from(CODES);
  if (field !== undefined && PARCEL_FIELDS[field].type === 'year') return from(YEARS);
  if (name.startsWith('ownership')) return from([0, 1, 2, 12, 13]);
  if (name.startsWith('tax_delinquent_years')) return from([0, 1, 2, 27]);
  if (name.startsWith('value_per_acre')) return from([0, 0.33, 0.34, 1, 1.66, 1.67, 2]);
  if (name === 'assemblage_parcels_min') return from([0, 2, 3, 5, 6]);
  if (name.startsWith('value')) return from([0, 1_000.24, 1_000.25, 1_000.26, 2_000.5, 4_001]);
  return type === 'integer' ? from(WHOLE) : from(NUMBERS);
}

/** A rectangle, possibly shrunk to a line or point, on and between grid lines in steps of 0.005 degrees. */
const shape = fc
  .tuple(...Array.from({ length: 4 }, () => fc.integer({ min: -3, max: 13 })))
  .map(([a, b, c, d]) => ({
    west: Math.min(a!, b!),
    east: Math.max(a!, b!),
    south: Math.min(c!, d!),
    north: Math.max(c!, d!),
  }));
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

function wkt({ west, east, south, north }: Shape): string {
  const at = (x: number, y: number) => `${(-72 + x * 0.005).toFixed(3)} ${(43 + y * 0.005).toFixed(3)}`;
  if (west === east && south === north) return `POINT (${at(west, south)})`;
  if (west === east || south === north) return `LINESTRING (${at(west, south)}, ${at(east, north)})`;
  const ring = [at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)];
  return `POLYGON ((${ring.join(', ')}))`;
}

/** A square extends one step of 0.005 degrees from its center. Touching counts as intersecting. */
function meets(cell: [number, number] | null, { west, east, south, north }: Shape): boolean {
  if (cell === null) return false;
  const [x, y] = [cell[0] * 2, cell[1] * 2];
  return x - 1 <= east && west <= x + 1 && y - 1 <= north && south <= y + 1;
}

type Generation = { body: Record<string, unknown>; shape?: Shape };
export const others = FILTERS.filter(filter => filter.name !== 'geom_intersects');
const scopes = others.filter(filter => filter.scope);

/** One or two scopes, and up to four other filters of any kind. Lower bounds don't exceed upper bounds. */
export const generation: fc.Arbitrary<Generation> = fc
  .tuple(
    fc.option(shape, { freq: 3 }),
    fc.subarray(scopes, { minLength: 1, maxLength: 2 }),
    fc.subarray(
      others.filter(filter => !filter.scope),
      { maxLength: 4 },
    ),
    fc.boolean(),
  )
  .chain(([area, given, rest, widen]) =>
    fc
      .record(Object.fromEntries([...given, ...rest].map(filter => [filter.name, generateFor(filter)])))
      .map(values => {
        const body = ordered(values as Record<string, unknown>);
        // Half of the request bodies cover all parcels, so that the other filters have something to work on.
        if (widen) {
          for (const { name } of scopes) delete body[name];
          body.counties = COUNTIES;
        }
        return area === null ? { body } : { body: { ...body, geom_intersects: wkt(area) }, shape: area };
      }),
  );

function ordered(body: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(body).filter(field => field.endsWith('_min'))) {
    const most = name.replace(/_min$/, '_max');
    if (body[most] !== undefined && String(body[name]).padStart(9) > String(body[most]).padStart(9))
      [body[name], body[most]] = [body[most], body[name]];
    if (typeof body[name] === 'number' && (body[most] as number) < (body[name] as number)) delete body[name];
  }
  if (['highway', 'road', 'local'].every(road => body[`count_${road}_frontage`] === false))
    delete body.count_road_frontage;
  return body;
}

export function passes(row: Generated, { body, shape: area }: Generation): boolean {
  if (area !== undefined && !meets(row.cell, area)) return false;
  return Object.entries(body).every(([name, value]) => {
    if (name === 'geom_intersects') return true;
    if (name === 'list_id') return isListed(row);
    if (name !== 'owner_parcel_id') return READINGS[name]!(row, value as never, body, TODAY);
    return row.owner_key === PARCELS.find(other => other.property_id === value)!.owner_key;
  });
}

const figureOf = (row: Generated, order: string) =>
  row[order === 'acres' ? 'effective_acres' : order] as number | string | null;

export function sorted(rows: Generated[], order: unknown = 'property_id'): number[] {
  const sign = String(order).startsWith('-') ? -1 : 1;
  const figure = (row: Generated) => figureOf(row, String(order).replace('-', ''));
  return rows
    .toSorted((a, b) => {
      const [one, other] = [figure(a), figure(b)];
      if (one === other) return sign * (a.property_id - b.property_id);
      return one === null ? 1 : other === null ? -1 : one < other ? -sign : sign;
    })
    .map(row => row.property_id);
}

/** Adds the list to an account's company. */
export async function giveList(pool: TestDb, accountId: string): Promise<void> {
  await pool.query(
    `insert into lists (id, company_id, name, one_per_owner, leave_out_lists)
     select $1, company_id, 'a list', false, '{}' from accounts where id = $2
     on conflict (id) do update set company_id = excluded.company_id`,
    [LIST_ID, accountId],
  );
  await pool.query(
    'insert into list_rows (list_id, property_id) select $1, unnest($2::bigint[]) on conflict do nothing',
    [LIST_ID, PARCELS.filter(isListed).map(row => row.property_id)],
  );
}

/** Writes the parcels, with the estimates and assemblages of those that have one. */
export async function insertGenerated(pool: TestDb): Promise<void> {
  const rows = PARCELS.map(({ cell: _, ...row }) => row as TestParcel);
  await insertParcels(pool, rows);
  await pool.query('delete from row_versions');
  await pool.query(
    'insert into row_versions (version, at) select * from unnest($1::bigint[], $2::timestamptz[])',
    [COMMITTED_VERSIONS, COMMITTED_AT],
  );
  const estimates = rows
    .filter(({ value }) => value !== null)
    .map(({ property_id, value, value_per_acre }) => [property_id, [value, value_per_acre]] as const);
  await insertEstimates(pool, new Map(estimates as [number, [number, number]][]));
  await insertAssemblages(
    pool,
    rows
      .filter(({ assemblage_acres }) => assemblage_acres !== null)
      .map(({ property_id, assemblage_acres, assemblage_parcels }) => ({
        property_id,
        parcels: assemblage_parcels as number,
        acres: assemblage_acres as number,
      })),
  );
  const zoning = rows.flatMap(row => (row.zoning === null ? [] : [row.zoning as TestOverlay]));
  await putOverlays(pool, [overlayOf('zoning', ['house', 'shop'], 500)], zoning);
}
