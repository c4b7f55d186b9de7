import { z } from 'zod';
import { type FieldSpec, PARCEL_FIELD_NAMES, PARCEL_FIELDS } from '../../model/parcel-fields.ts';
import { defineFilter, listOf } from './declare-filter.ts';

/** The condition under which each computed field is known. `f` is parcel_filters. */
const COMPUTED: Readonly<Record<string, string>> = {
  effective_acres: 'f.effective_acres is not null',
  point: 'f.location is not null',
  improvement_percent: 'f.improvement_percent is not null',
  out_of_state_owner: 'f.out_of_state_owner is not null',
  out_of_county_owner: 'f.out_of_county_owner is not null',
  out_of_zip_owner: 'f.out_of_zip_owner is not null',
  corporate_owner: 'f.corporate_owner is not null',
  hoa_owner: 'f.hoa_owner is not null',
  access: 'f.access is not null',
  landlocked: 'f.landlocked is not null',
  road_frontage: 'num_nonnulls(f.highway_frontage_ft, f.road_frontage_ft, f.local_frontage_ft) > 0',
  slope: 'f.steeper_percent is not null',
  waterfront: 'f.waterfront is not null',
  waterfront_ft: 'f.waterfront_ft is not null',
  wetlands_percent: 'f.wetlands_percent is not null',
  flood_zone_percent: 'f.flood_zone_percent is not null',
  buildable_acres: 'f.buildable_acres is not null',
  value: `exists (
      select from valuations v
      where v.fips = f.fips and v.property_id = f.property_id and v.mean_adjusted_price is not null
    )`,
};

/** Fields whose columns are copied to parcel_filters. The other fields are only in parcels. */
const REPEATED = new Set<FieldSpec['filter']>(['range', 'flag', 'own']);

const onRoll = Object.fromEntries(
  PARCEL_FIELD_NAMES.map(name => {
    const { filter, type }: FieldSpec = PARCEL_FIELDS[name];
    // A year of 0 or an acreage of 0 means that the roll doesn't state one.
    const isStated = (row: string) =>
      type === 'year' || name === 'acres' ? `${row}.${name} > 0` : `${row}.${name} is not null`;
    if (REPEATED.has(filter)) return [name, isStated('f')];
    const among = 'p.fips = f.fips and p.property_id = f.property_id';
    return [name, `exists (select from parcels p where ${among} and ${isStated('p')})`];
  }),
);

const KNOWN: Readonly<Record<string, string>> = { ...onRoll, ...COMPUTED };

export const KNOWN_FIELDS = Object.keys(KNOWN);

// Not an enum, because the names would lengthen the definition of every MCP tool that filters.
const knownField = z
  .string('must be the name of a field')
  .refine(name => Object.hasOwn(KNOWN, name), 'must be one of the values that GET filters/ lists for known');

export const knownFilter = defineFilter({
  name: 'known',
  label: 'Known fields',
  type: 'list of strings',
  description:
    'Only parcels where all of these fields are known, such as slope. GET filters/ lists the names. No filter finds parcels where a field is unknown.',
  values: KNOWN_FIELDS,
  schema: listOf(knownField),
  on: 'f',
  where: names => [...new Set(names)].map(name => KNOWN[name]!).join(' and '),
});
