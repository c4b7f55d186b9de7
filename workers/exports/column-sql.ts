import { isoDay, utcDay } from '../../shared/kernels/stats/calendar.ts';
import { MAX_ACRES_RATIO, PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import { literal } from '../../shared/platform/statements.ts';

/** Rounds half up, as JavaScript does. */
const rounded = (value: string, unit: number): string => `floor(${value} * ${unit} + 0.5) / ${unit}`;

const FILTERED = [
  'out_of_state_owner',
  'out_of_county_owner',
  'out_of_zip_owner',
  'corporate_owner',
  'hoa_owner',
  'landlocked',
  'wetlands_percent',
  'flood_zone_percent',
  'highway_frontage_ft',
  'road_frontage_ft',
  'local_frontage_ft',
];
const MEASURED = ['mean_slope_percent', 'min_elevation_m', 'mean_elevation_m', 'max_elevation_m'];

/**
 * A column as SQL over `p` parcels, `f` parcel_filters, and `a` parcel_attributes, in the API's format.
 * undefined for columns that parcels don't have.
 */
export function columnSql(asOf: Date): (name: string) => string | undefined {
  const day = `date ${literal(isoDay(utcDay(asOf.getTime())))}`;
  const computed: Record<string, string> = {
    property_id: 'p.property_id',
    fips: "lpad(p.fips::text, 5, '0')",
    longitude: 'p.location[0] / 1e7',
    latitude: 'p.location[1] / 1e7',
    acres: rounded('p.acres', 1e6),
    calculated_acres: rounded('p.calculated_acres', 100),
    effective_acres: `coalesce(${rounded('p.acres', 1e6)}, ${rounded('p.calculated_acres', 100)})`,
    owner_occupied: 'coalesce(f.owner_occupied, p.owner_occupied)',
    acres_mismatch: `case when p.acres > 0 and p.calculated_acres > 0
      then greatest(p.acres / p.calculated_acres, p.calculated_acres / p.acres) > ${MAX_ACRES_RATIO} end`,
    improvement_percent: 'round(f.improvement_percent::numeric, 2)::float8',
    tax_delinquent_years: `case when p.tax_delinquent is not false
      then extract(year from ${day})::int - p.tax_delinquent_year end`,
    ownership_months: `12 * (extract(year from ${day}) - extract(year from p.last_sale_date))::int
      + (extract(month from ${day}) - extract(month from p.last_sale_date))::int
      - (extract(day from p.last_sale_date) > extract(day from ${day}))::int`,
    ...Object.fromEntries(FILTERED.map(name => [name, `f.${name}`])),
    ...Object.fromEntries(MEASURED.map(name => [name, `a.${name}`])),
  };
  return name => computed[name] ?? (name in PARCEL_FIELDS ? `p.${name}` : undefined);
}
