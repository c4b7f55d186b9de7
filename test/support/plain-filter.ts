import { round2 } from '../../shared/kernels/stats/rounding.ts';
import { type FieldSpec, PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import type { TestOverlay } from './overlays.ts';
import type { TestParcel } from './parcels.ts';

/**
 * A simple implementation of a filter: whether a parcel matches a value, given the whole request body and
 * today's date (YYYY-MM-DD).
 */
type Reading = (parcel: TestParcel, value: never, body: Record<string, unknown>, today: string) => boolean;

/** Reads a column. Absent values are null. */
const columnOf = (parcel: TestParcel, column: string): unknown => parcel[column] ?? null;

const fipsOf = (parcel: TestParcel): string => String(Math.floor(parcel.property_id / 1e8)).padStart(5, '0');
const padded = (code: string | number): string => String(code).padStart(5, '0');
const day = (value: string | number): string =>
  `${String(value).slice(0, 4)}-${String(value).slice(4, 6)}-${String(value).slice(6)}`;

/** Filters compare these values after rounding, as they are displayed. */
const ROUNDED = ['improvement_percent', 'value', 'value_per_acre'];

function range(column: string, read: (bound: never) => unknown = bound => bound): [Reading, Reading] {
  const compare = (parcel: TestParcel, bound: never, sign: 1 | -1): boolean => {
    const exact = columnOf(parcel, column) as number | string | null;
    const value = ROUNDED.includes(column) && exact !== null ? round2(exact as number) : exact;
    const limit = read(bound) as number | string;
    return value !== null && (sign === 1 ? value >= limit : value <= limit);
  };
  return [(parcel, bound) => compare(parcel, bound, 1), (parcel, bound) => compare(parcel, bound, -1)];
}

function ranges(columns: string[], read?: (bound: never) => unknown): Record<string, Reading> {
  return Object.fromEntries(
    columns.flatMap(column => {
      const [least, most] = range(column === 'acres' ? 'effective_acres' : column, read);
      return [
        [`${column}_min`, least],
        [`${column}_max`, most],
      ];
    }),
  );
}

const oneOf =
  (column: string): Reading =>
  (parcel, values: (string | number)[]) => {
    const value = columnOf(parcel, column) as string | null;
    return value !== null && values.some(wanted => String(wanted).toUpperCase() === value.toUpperCase());
  };
const equal =
  (column: string): Reading =>
  (parcel, wanted: string) =>
    (columnOf(parcel, column) as string | null)?.toUpperCase() === wanted.toUpperCase();
const flag =
  (column: string): Reading =>
  (parcel, wanted: boolean) =>
    columnOf(parcel, column) === wanted;
const unless =
  (column: string): Reading =>
  (parcel, wanted: boolean) =>
    !wanted || columnOf(parcel, column) !== true;
const required =
  (column: string): Reading =>
  (parcel, wanted: boolean) =>
    !wanted || columnOf(parcel, column) === true;
const atMost =
  (column: string): Reading =>
  (parcel, most: number) => {
    const value = columnOf(parcel, column) as number | null;
    return value !== null && value <= most;
  };

/** The words of a name: runs of letters and digits, ignoring case, accents, and apostrophes. */
function words(text: string): string[] {
  return text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f']/g, '')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(word => word !== '');
}
const hasPhrase = (name: string, phrase: string): boolean =>
  ` ${words(name).join(' ')} `.includes(` ${words(phrase).join(' ')} `);

/** Whole months from a date to today. A month is complete once its day of the month is reached. */
function months(since: string, today: string): number {
  const [y, m, d] = since.split('-').map(Number) as [number, number, number];
  const [ty, tm, td] = today.split('-').map(Number) as [number, number, number];
  return (ty - y) * 12 + (tm - m) - (td < d ? 1 : 0);
}

function frontage(parcel: TestParcel, body: Record<string, unknown>): number | null {
  const counted = ['highway', 'road', 'local'].filter(road => body[`count_${road}_frontage`] !== false);
  const feet = counted
    .map(road => columnOf(parcel, `${road}_frontage_ft`) as number | null)
    .filter(value => value !== null);
  return feet.length === 0 ? null : feet.reduce((sum, value) => sum + value, 0);
}

const steeper = (parcel: TestParcel, index: number): number | null =>
  (columnOf(parcel, 'steeper_percent') as number[] | null)?.[index] ?? null;

/** In these fields, 0 means unknown. */
const NOT_ZERO = ['acres', 'year_built', 'tax_delinquent_year'];

function isKnown(parcel: TestParcel, name: string): boolean {
  if (name === 'point') return columnOf(parcel, 'boundary') !== null;
  if (name === 'slope') return columnOf(parcel, 'steeper_percent') !== null;
  if (name === 'road_frontage') return frontage(parcel, {}) !== null;
  const value = columnOf(parcel, name);
  return NOT_ZERO.includes(name) ? Number(value) > 0 : value !== null;
}

/** Row versions of the generated parcels, in the order of their commits at `COMMITTED_AT`. */
export const COMMITTED_VERSIONS = [0, 1, 3, 2, 4];
export const COMMITTED_AT = COMMITTED_VERSIONS.map(n => `2099-01-0${n + 1}T00:00:00.000Z`).sort();

function changedSince(parcel: TestParcel, since: number | string): boolean {
  const place = COMMITTED_VERSIONS.indexOf(columnOf(parcel, 'row_version') as number);
  if (typeof since === 'number') return place > COMMITTED_VERSIONS.indexOf(since);
  return new Date(COMMITTED_AT[place]!) >= new Date(since);
}

type OverlayCondition = {
  classes?: string[];
  percent_min?: number;
  percent_max?: number;
  distance_ft_min?: number;
  distance_ft_max?: number;
};

function matchesZoning(zoning: TestOverlay, condition: OverlayCondition): boolean {
  const { classes, percent_min, percent_max, distance_ft_min, distance_ft_max } = condition;
  const { percent, nearest_ft } = zoning;
  const share =
    classes === undefined
      ? percent
      : round2(
          zoning.percents.reduce(
            (sum, part, i) => sum + (classes.includes(zoning.classes[i]!) ? part : 0),
            0,
          ),
        );
  const hasBounds = Object.keys(condition).some(name => /_(min|max)$/.test(name));
  const hasShares = percent_min !== undefined || percent_max !== undefined;
  if ((!hasBounds || (classes !== undefined && !hasShares)) && !(share > 0)) return false;
  if (share < (percent_min ?? 0) || share > (percent_max ?? 100)) return false;
  if (distance_ft_min !== undefined && nearest_ft !== null && nearest_ft < distance_ft_min) return false;
  return distance_ft_max === undefined || (nearest_ft !== null && nearest_ft <= distance_ft_max);
}

const always: Reading = () => true;

/** Implementations of the filters that are declared by fields. */
const declared: Record<string, Reading> = Object.assign(
  {},
  ...Object.entries<FieldSpec>(PARCEL_FIELDS).map(([name, { filter, type }]) => {
    if (filter === 'range') return ranges([name], type === 'date' ? day : undefined);
    if (filter === 'list') return { [`${name}s`]: oneOf(name) };
    if (filter === 'exact') return { [name]: equal(name) };
    return filter === 'flag' ? { [name]: flag(name) } : {};
  }),
);

export const READINGS: Record<string, Reading> = {
  county: (parcel, code: string | number) => fipsOf(parcel) === padded(code),
  counties: (parcel, codes: (string | number)[]) => codes.map(padded).includes(fipsOf(parcel)),
  zips_include: (parcel, zips: (string | number)[]) =>
    zips.map(padded).includes(String(columnOf(parcel, 'situs_zip'))),
  zips_exclude: (parcel, zips: (string | number)[]) =>
    !zips.map(padded).includes(String(columnOf(parcel, 'situs_zip'))),
  state: (parcel, state: string) =>
    ({ NH: '33', ME: '23' })[state.toUpperCase()] === fipsOf(parcel).slice(0, 2),
  property_id: (parcel, id: number) => parcel.property_id === id,
  apn: (parcel, apn: string) => {
    const bare = (text: string) => text.replaceAll(/[ .-]/g, '').toUpperCase();
    const own = columnOf(parcel, 'apn') as string | null;
    return own !== null && bare(own) === bare(apn);
  },
  ...declared,
  ...ranges(['acres', 'value', 'value_per_acre', 'improvement_percent', 'waterfront_ft']),
  ...ranges(['assemblage_acres']),
  assemblage_parcels_min: (parcel, least: number) =>
    ((columnOf(parcel, 'assemblage_parcels') as number | null) ?? -1) >= least,
  ...ranges(['buildable_acres', 'buildable_percent', 'buildable_patch_acres']),
  ownership_months_min: (parcel, least: number, _body, today) => {
    const since = columnOf(parcel, 'last_sale_date') as string | null;
    return since !== null && months(since, today) >= least;
  },
  ownership_months_max: (parcel, most: number, _body, today) => {
    const since = columnOf(parcel, 'last_sale_date') as string | null;
    return since !== null && months(since, today) <= most;
  },
  tax_delinquent_years_min: (parcel, years: number, _body, today) => {
    const first = columnOf(parcel, 'tax_delinquent_year') as number | null;
    const flagged = columnOf(parcel, 'tax_delinquent') as boolean | null;
    return flagged !== false && first !== null && Number(today.slice(0, 4)) - first >= years;
  },
  acres_mismatch: (parcel, wanted: boolean) => {
    const [stated, measured] = ['acres', 'calculated_acres'].map(
      name => columnOf(parcel, name) as number | null,
    );
    if (!stated || !measured) return false;
    return (stated > 1.5 * measured || measured > 1.5 * stated) === wanted;
  },
  seller_name_contains: (parcel, pieces: string[]) => {
    const seller = columnOf(parcel, 'seller_name') as string | null;
    return seller !== null && pieces.some(piece => seller.toUpperCase().includes(piece.trim().toUpperCase()));
  },
  owner_name_includes: (parcel, phrases: string[]) => {
    const owner = columnOf(parcel, 'owner_name') as string | null;
    return owner !== null && phrases.some(phrase => hasPhrase(owner, phrase));
  },
  owner_name_excludes: (parcel, phrases: string[]) => {
    const owner = columnOf(parcel, 'owner_name') as string | null;
    return owner === null || !phrases.some(phrase => hasPhrase(owner, phrase));
  },
  out_of_state_owner: flag('out_of_state_owner'),
  out_of_county_owner: flag('out_of_county_owner'),
  out_of_zip_owner: flag('out_of_zip_owner'),
  owner_occupied: (parcel, wanted: string) => columnOf(parcel, 'owner_occupied') === (wanted === 'Y'),
  exclude_corp_owner: unless('corporate_owner'),
  exclude_hoa_owner: unless('hoa_owner'),
  exclude_landlocked: unless('landlocked'),
  only_landlocked: required('landlocked'),
  access: (parcel, wanted: string[]) => wanted.includes(String(columnOf(parcel, 'access') ?? 'unknown')),
  waterfront: flag('waterfront'),
  vacant_only: required('vacant'),
  exclude_steep: (parcel, wanted: boolean) => !wanted || (steeper(parcel, 6) ?? 0) <= 60,
  slope_area_index: always,
  slope_area_percent: (parcel, most: number, body) => {
    if (body.slope_area_index === undefined) return true;
    const share = steeper(parcel, body.slope_area_index as number);
    return share !== null && share <= most;
  },
  wetlands_percent_max: atMost('wetlands_percent'),
  flood_zone_percent_max: atMost('flood_zone_percent'),
  road_frontage_min: (parcel, least: number, body) => (frontage(parcel, body) ?? -1) >= least - 1e-6,
  road_frontage_max: (parcel, most: number, body) => {
    const feet = frontage(parcel, body);
    return feet !== null && feet <= most + 1e-6;
  },
  count_highway_frontage: always,
  count_road_frontage: always,
  count_local_frontage: always,
  overlays: (parcel, conditions: OverlayCondition[]) => {
    const zoning = columnOf(parcel, 'zoning') as TestOverlay | null;
    return zoning !== null && conditions.every(condition => matchesZoning(zoning, condition));
  },
  changed_since: changedSince,
  known: (parcel, names: string[]) => names.every(name => isKnown(parcel, name)),
  order: always,
};
