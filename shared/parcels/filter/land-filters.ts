import { z } from 'zod';
import { ROAD_ACCESS, SLOPE_GRADES } from '../../model/land-layers.ts';
import { NEEDS, type Need } from '../../model/loaded-data.ts';
import {
  booleanFilter,
  decimal,
  defineFilter,
  type Filter,
  flagFilter,
  listOf,
  rangeFilter,
  wholeNumber,
} from './declare-filter.ts';

/** More than 60% of the area is steeper than 20%, which is the grade with index 6. SQL arrays start at 1. */
const TOO_STEEP = 'f.steeper_percent[7] > 60';

const percent = decimal({ most: 100 });

/**
 * Rounds to a 4-byte float like the column's. Otherwise, a stored 12.3% would compare as greater than 12.3.
 */
const asStored = (value: number): number => Math.fround(value);

const shareFilter = (name: string, label: string, needs: Need, column: string, description: string) =>
  defineFilter({
    name,
    label,
    needs,
    type: 'number',
    unit: 'percent',
    description,
    schema: percent,
    on: 'f',
    where: (value, { bind }) => `${column} <= ${bind(asStored(value))}::float8`,
  });

const ROADS = { highway: 'f.highway_frontage_ft', road: 'f.road_frontage_ft', local: 'f.local_frontage_ft' };
type Road = keyof typeof ROADS;

/** The fields that choose which roads count. Absent means true. */
export const ROAD_SWITCHES = (Object.keys(ROADS) as Road[]).map(road => `count_${road}_frontage`);

const roadSwitch = (road: Road, label: string, description: string) =>
  defineFilter({
    name: `count_${road}_frontage`,
    label,
    needs: NEEDS.roads,
    type: 'boolean',
    description: `Whether road_frontage counts ${description}.`,
    default: true,
    schema: z.boolean('must be true or false'),
    on: 'f',
  });

const frontage = (bound: 'min' | 'max', operator: string, words: string) =>
  defineFilter({
    name: `road_frontage_${bound}`,
    label: 'Road frontage',
    needs: NEEDS.roads,
    type: 'number',
    unit: 'feet',
    description: `Total frontage on the counted road classes. Unknown if none of them were measured. ${words}, inclusive.`,
    range: { of: 'road_frontage', bound },
    schema: decimal(),
    on: 'f',
    where: (feet, { bind, body }) => {
      const counted = (Object.keys(ROADS) as Road[])
        .filter(road => body[`count_${road}_frontage`] !== false)
        .map(road => ROADS[road]);
      const sum = counted.map(column => `coalesce(${column}, 0)::float8`).join(' + ');
      // The error in a sum of 4-byte floats is below 0.01 feet.
      const isMet = `round((${sum})::numeric, 2) ${operator} ${bind(feet)}::numeric`;
      return `case when num_nonnulls(${counted.join(', ')}) > 0 then ${isMet} end`;
    },
  });

const buildable = (name: 'acres' | 'percent' | 'patch_acres', label: string, description: string) =>
  rangeFilter({
    name: `buildable_${name}`,
    label,
    needs: NEEDS.buildable,
    column: `f.buildable_${name}`,
    type: 'number',
    unit: name === 'percent' ? 'percent' : 'acres',
    ...(name === 'percent' && { most: 100 }),
    description,
  });

const LANDLOCKED = 'Landlocked means that `access` is `none`.';

/** Filters on land layers. Values are unknown until a layer covers the parcel. */
export const landFilters: Filter[] = [
  defineFilter({
    name: 'slope_area_index',
    label: 'Steeper than',
    needs: NEEDS.elevation,
    type: 'integer',
    description: `Slope threshold for slope_area_percent, which must be set too: ${SLOPE_GRADES.map((grade, index) => `${index} = ${grade}%`).join(', ')}.`,
    values: SLOPE_GRADES.map((_, index) => index),
    schema: wholeNumber({ most: SLOPE_GRADES.length - 1 }),
    on: 'f',
  }),
  defineFilter({
    name: 'slope_area_percent',
    label: 'Steep share of area (maximum)',
    needs: NEEDS.elevation,
    type: 'number',
    unit: 'percent',
    description: 'Maximum share of the area steeper than the grade of slope_area_index.',
    schema: percent,
    on: 'f',
    where: (value, { bind, body }) =>
      body.slope_area_index === undefined
        ? undefined
        : `f.steeper_percent[${bind(Number(body.slope_area_index) + 1)}::int] <= ${bind(asStored(value))}::float8`,
  }),
  flagFilter(
    'exclude_steep',
    'Not steep',
    `(${TOO_STEEP}) is not true`,
    'Excludes parcels steeper than 20% on more than 60% of their area. Parcels without elevation data are kept.',
    { keepsUnknown: 'slope', needs: NEEDS.elevation },
  ),
  flagFilter(
    'exclude_landlocked',
    'Road access',
    'f.landlocked is not true',
    `Excludes landlocked parcels. Parcels are kept if this is unknown. ${LANDLOCKED}`,
    { keepsUnknown: 'landlocked', needs: NEEDS.roads },
  ),
  flagFilter(
    'only_landlocked',
    'Landlocked',
    'f.landlocked',
    'Only landlocked parcels, as defined in exclude_landlocked.',
    {
      needs: NEEDS.roads,
    },
  ),
  defineFilter({
    name: 'access',
    label: 'Road access',
    needs: NEEDS.roads,
    type: 'list of strings',
    description:
      'Any of these values. unmapped means that a house or a corridor implies a way to the parcel. none means that it is landlocked.',
    values: ROAD_ACCESS,
    schema: listOf(z.enum(ROAD_ACCESS, `must be one of ${ROAD_ACCESS.join(', ')}`)),
    on: 'f',
    where: (values, { bind }) => `coalesce(f.access, 'unknown') = any (${bind(values)}::text[])`,
  }),
  booleanFilter(
    'waterfront',
    'Waterfront',
    'f.waterfront',
    'On a lake, river, or sea (true) or not (false).',
    { needs: NEEDS.water },
  ),
  ...rangeFilter({
    name: 'waterfront_ft',
    label: 'Shore',
    needs: NEEDS.water,
    column: 'f.waterfront_ft::float8',
    shown: 2,
    type: 'number',
    unit: 'feet',
    description: 'Length of the shore',
  }),
  shareFilter(
    'wetlands_percent_max',
    'Wetlands',
    NEEDS.wetlands,
    'f.wetlands_percent',
    'Maximum share of the area that is wetlands.',
  ),
  shareFilter(
    'flood_zone_percent_max',
    'Flood zone',
    NEEDS.flood,
    'f.flood_zone_percent',
    'Maximum share of the area in a flood zone.',
  ),
  ...buildable('acres', 'Buildable', 'Acres without wetlands, flood zones, water, and steep ground'),
  ...buildable('percent', 'Buildable share', 'Share that is buildable'),
  ...buildable('patch_acres', 'Largest buildable piece', 'Largest buildable piece at least 60 ft wide'),
  frontage('min', '>=', 'Minimum'),
  frontage('max', '<=', 'Maximum'),
  roadSwitch('highway', 'Count frontage on highways', 'major highways'),
  roadSwitch('road', 'Count frontage on roads', 'secondary roads (MTFCC S1200)'),
  roadSwitch('local', 'Count frontage on local roads', 'local roads'),
];
