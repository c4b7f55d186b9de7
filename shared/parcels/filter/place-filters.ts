import { z } from 'zod';
import { QUERY_LIMITS } from '../../geo/query-geometry.ts';
import { STATES } from '../../regions/states.ts';
import { defineFilter, type Filter, fipsCode, line, listOf, wholeNumber, zipCode } from './declare-filter.ts';
import { filterShape } from './filter-shape.ts';

const STATE_FIPS = new Map(STATES.map(({ code, fips }) => [code as string, fips]));
const STATE = 'must be a two-letter US state code';

export const placeFilters: Filter[] = [
  defineFilter({
    name: 'county',
    label: 'County',
    type: 'string',
    scope: true,
    description: 'County FIPS code, with or without its leading zero, as text or a number.',
    schema: fipsCode,
    on: 'all',
    where: (fips, { bind }) => `f.fips = ${bind(fips)}::int`,
  }),
  defineFilter({
    name: 'counties',
    label: 'Counties',
    type: 'list of strings',
    scope: true,
    description: 'County FIPS codes (any of these), with or without leading zeros, as text or numbers.',
    schema: listOf(fipsCode),
    on: 'all',
    where: (counties, { bind }) => `f.fips = any (${bind(counties)}::int[])`,
  }),
  defineFilter({
    name: 'zips_include',
    label: 'ZIP codes',
    type: 'list of strings',
    scope: true,
    description: 'ZIP codes of the parcel (any of these).',
    schema: listOf(zipCode),
    on: 'f',
    where: (zips, { bind }) => `f.situs_zip = any (${bind(zips)}::int[])`,
  }),
  defineFilter({
    name: 'geom_intersects',
    label: 'Drawn area',
    type: 'geometry',
    scope: true,
    description: `WKT geometry of any type in WGS84, longitude first, up to ${QUERY_LIMITS.maxVertices.toLocaleString('en-US')} vertices. Matches parcels that share a point with it, including those that only touch it.`,
    schema: filterShape,
    on: 'f',
  }),
  defineFilter({
    name: 'owner_parcel_id',
    label: 'Same owner as parcel',
    type: 'integer',
    scope: true,
    description:
      'Owner portfolio: every parcel with the same owner mailing address as this parcel, including it.',
    schema: wholeNumber({ least: 1 }),
    on: 'f',
    where: (_id, { bind, owner }) => {
      const keys = bind(owner!.keys);
      return `f.owner_key = any (${keys}::uuid[]) and f.fips = any (${bind(owner!.counties)}::int[]) and (f.fips, f.property_id) in (
        select (o.property_id / 100000000)::int, o.property_id from owner_parcels o where o.owner_key = any (${keys}::uuid[]))`;
    },
  }),
  defineFilter({
    name: 'list_id',
    label: 'In list',
    type: 'string',
    scope: true,
    description: "Id of one of your company's lists. Matches its parcels that are on the roll.",
    schema: z.uuid('must be the id of a list'),
    on: 'f',
    where: (id, { bind, list }) =>
      `f.fips = any (${bind(list!.counties)}::int[]) and f.property_id in (select property_id from list_rows where list_id = ${bind(id)}::uuid)`,
  }),
  defineFilter({
    name: 'state',
    label: 'State',
    type: 'string',
    description: "Two-letter state code of the parcel's county.",
    schema: z.string(STATE).transform((text, context) => {
      const fips = STATE_FIPS.get(text.toUpperCase());
      if (fips === undefined) context.issues.push({ code: 'custom', message: STATE, input: text });
      return fips ?? z.NEVER;
    }),
    on: 'all',
    where: (state, { bind }) =>
      `f.fips between ${bind(state * 1000)}::int and ${bind(state * 1000 + 999)}::int`,
  }),
  defineFilter({
    name: 'zips_exclude',
    label: 'Exclude ZIP codes',
    type: 'list of strings',
    description: 'Excludes parcels in any of these ZIP codes. Parcels with an unknown ZIP code are kept.',
    schema: listOf(zipCode),
    on: 'f',
    where: (zips, { bind }) => `(f.situs_zip = any (${bind(zips)}::int[])) is not true`,
  }),
  defineFilter({
    name: 'property_id',
    label: 'Parcel ID',
    type: 'integer',
    description: 'Numeric id of the parcel.',
    schema: wholeNumber({ least: 1 }),
    on: 'all',
    where: (id, { bind }) => {
      const number = bind(id);
      return `f.fips = (${number}::bigint / 100000000)::int and f.property_id = ${number}::bigint`;
    },
  }),
  defineFilter({
    name: 'apn',
    label: 'APN',
    type: 'string',
    description: "Assessor's parcel number. Case, spaces, dashes, and dots are ignored.",
    schema: line,
    on: 'p',
    where: (apn, { bind }) =>
      `p.retired_at is null and p.apn_normalized = upper(translate(${bind(apn)}::text, ' .-', ''))`,
  }),
];
