import { z } from 'zod';
import { NEEDS } from '../../model/loaded-data.ts';
import { MAX_CLASS_CHARS, MAX_CLASSES, MAX_DISTANCE_FT, OVERLAY_NAME } from '../../model/overlays.ts';
import { decimal, defineFilter, listOf } from './declare-filter.ts';

const feet = decimal({ most: MAX_DISTANCE_FT }).optional();
const percent = decimal({ most: 100 }).optional();

const condition = z
  .strictObject({
    name: z.string().regex(OVERLAY_NAME, 'must be the name of an overlay'),
    classes: listOf(z.string().min(1).max(MAX_CLASS_CHARS)).max(MAX_CLASSES).optional(),
    percent_min: percent,
    percent_max: percent,
    distance_ft_min: feet,
    distance_ft_max: feet,
  })
  .refine(({ percent_min: least = 0, percent_max: most = 100 }) => least <= most, {
    path: ['percent_min'],
    error: 'must not be greater than percent_max',
  })
  .refine(({ distance_ft_min: least = 0, distance_ft_max: most = MAX_DISTANCE_FT }) => least <= most, {
    path: ['distance_ft_min'],
    error: 'must not be greater than distance_ft_max',
  });

export type OverlayCondition = z.output<typeof condition>;

/** Requests need more than a few overlays only to slow down the database. */
const MAX_OVERLAYS = 5;

/** The county of a subquery. */
export const OF_PARCEL = 'o.fips = f.fips';

/** The column is a 4-byte float, so a bound is rounded like it. */
const asStored = (value: number): number => Math.fround(value);

export const overlaysFilter = defineFilter({
  name: 'overlays',
  label: 'Overlays',
  needs: NEEDS.overlays,
  type: 'list of objects',
  description:
    'Overlays that GET overlays/ lists: share in the classes (default: any), and distance to the nearest feature.',
  schema: listOf(condition).max(MAX_OVERLAYS, `must have at most ${MAX_OVERLAYS} entries`),
  on: 'f',
  where: (conditions, { bind }) =>
    conditions.map(condition => `(${overlaySql(condition, bind)})`).join(' and '),
});

function overlaySql(
  { name, classes, percent_min, percent_max, distance_ft_min, distance_ft_max }: OverlayCondition,
  bind: (value: unknown) => string,
): string {
  // A sum of 4-byte floats is off by less than 0.01. Shares of overlapping classes can add up to over 100.
  const share =
    classes === undefined
      ? 'o.percent'
      : `(select least(100, coalesce(round(sum(c.percent)::numeric, 2), 0))::real
          from unnest(o.classes, o.percents) c (class, percent) where c.class = any (${bind(classes)}::text[]))`;
  const isAnyShare = percent_min === undefined && percent_max === undefined;
  const isAnyDistance = distance_ft_min === undefined && distance_ft_max === undefined;
  const tests = [
    ...(percent_min === undefined ? [] : [`${share} >= ${bind(asStored(percent_min))}::float8`]),
    ...(percent_max === undefined ? [] : [`${share} <= ${bind(asStored(percent_max))}::float8`]),
    ...(isAnyShare && (classes !== undefined || isAnyDistance) ? [`${share} > 0`] : []),
    // Without a feature within the overlay's distance, the nearest one is farther than any minimum.
    ...(distance_ft_min === undefined
      ? []
      : [`coalesce(o.nearest_ft, 'infinity') >= ${bind(asStored(distance_ft_min))}::float8`]),
    ...(distance_ft_max === undefined ? [] : [`o.nearest_ft <= ${bind(asStored(distance_ft_max))}::float8`]),
  ];
  return `exists (
      select from parcel_overlays o
      where ${OF_PARCEL} and o.property_id = f.property_id and o.overlay = ${bind(name)}::text and ${tests.join(' and ')}
    )`;
}
