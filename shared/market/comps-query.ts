import { z } from 'zod';
import { swapHint } from '../geo/swap-hint.ts';
import { fips, zip } from '../regions/region-codes.ts';

/** About 124 miles: comps further away compare with nothing, and a search costs as the area does. */
const MAX_DIST_M = 200_000;
const DEFAULT_DIST_M = 1_000;

/** Days, photographs: what fits PostgreSQL's integer with room to spare. */
const MAX_COUNT = 100_000;
const MAX_ACRES = 1e9;

export const SHOWN_STATUSES = ['ACTIVE', 'PENDING', 'SOLD'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

const ORDERS = ['acres', 'dom', 'ppa', 'price', '-acres', '-dom', '-ppa', '-price'] as const;
export type OrderName = (typeof ORDERS)[number];

/** A parameter that may stand several times: express hands one value on as text, more as a list. */
const repeated = z.union([z.string(), z.array(z.string())]).transform(value => [value].flat());

const numberFrom0 = (type: 'integer' | 'number', pattern: RegExp, most: number) => (description: string) =>
  z
    .string('must be given once')
    .regex(pattern, `must be a ${type === 'integer' ? 'whole ' : ''}number, 0 or more`)
    .transform(Number)
    .refine(value => value <= most, `must be at most ${most}`)
    .meta({ description, override: { type, minimum: 0, maximum: most, pattern: undefined } });
const count = numberFrom0('integer', /^[0-9]{1,9}$/, MAX_COUNT);
const acres = numberFrom0('number', /^(?=.{1,20}$)([0-9]+(\.[0-9]*)?|\.[0-9]+)$/, MAX_ACRES);

const COORDINATE = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$/;

const point = repeated
  .transform((values, context): [number, number] => {
    const [lon, lat] = values.map(value => (COORDINATE.test(value) ? Number(value) : Number.NaN));
    const fault =
      values.length !== 2 || lon === undefined || lat === undefined
        ? 'must be given twice: the longitude, then the latitude'
        : Number.isNaN(lon) || Number.isNaN(lat)
          ? 'must be two numbers in degrees'
          : Math.abs(lon) > 180
            ? 'begins with the longitude, which is between -180 and 180'
            : Math.abs(lat) > 90
              ? `ends with the latitude, which is between -90 and 90${swapHint(lon!, lat!) ? `; ${swapHint(lon!, lat!)}` : ''}`
              : swapHint(lon!, lat!);
    if (fault === undefined) return [lon!, lat!];
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  })
  .meta({
    description: 'Center of a circle: the parameter twice, longitude first.',
    example: [-72.1, 43.18],
    override: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2, anyOf: undefined },
  });

const status = repeated
  .transform((values, context): ShownStatus[] => {
    const statuses = SHOWN_STATUSES.filter(name => values.includes(name));
    if (values.every(value => (SHOWN_STATUSES as readonly string[]).includes(value))) return statuses;
    context.addIssue({ code: 'custom', message: `must be ${SHOWN_STATUSES.join(', ')}, or several of them` });
    return z.NEVER;
  })
  .meta({
    description: 'Only comps of this status; repeat it for several.',
    override: { type: 'array', items: { type: 'string', enum: [...SHOWN_STATUSES] }, anyOf: undefined },
  });

export const compsFields = {
  fips: fips.optional(),
  point: point.optional(),
  dist: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({
      description:
        'Radius of the circle around `point` in meters along the ground (a geodesic of WGS84); its rim is a polygon of 256 vertices. Ignored without `point`.',
      override: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_DIST_M,
        default: DEFAULT_DIST_M,
        pattern: undefined,
        anyOf: undefined,
      },
    }),
  zip: zip.optional(),
  polygon: z
    .string('must be given once')
    .optional()
    .meta({
      description:
        'Polygon or MultiPolygon of GeoJSON as JSON text, longitude and latitude in WGS84, holes included: comps inside it or on its ' +
        'boundary. Up to 10,000 vertices.',
      example:
        '{"type":"Polygon","coordinates":[[[-72.2,43.1],[-72,43.1],[-72,43.3],[-72.2,43.3],[-72.2,43.1]]]}',
    }),
  status: status.optional(),
  age: count('Only comps sold at most so many days ago, counted back from today in UTC.').optional(),
  dom_min: count('Least days on market.').optional(),
  dom_max: count('Most days on market.').optional(),
  acres_min: acres('Least lot size in acres.').optional(),
  acres_max: acres('Greatest lot size in acres.').optional(),
  min_photos: count('Least number of photographs.').optional(),
  order: z
    .enum(ORDERS, `must be one of ${ORDERS.join(', ')}`)
    .optional()
    .describe(
      'By lot size, days on market, price per acre or price, descending with `-`. Comps for which it is unknown, a withheld price among ' +
        'them, come last; ties are in the order of `id`, and so is everything when no order is given.',
    ),
};

const compsObject = z.strictObject(compsFields);
export type CompsQuery = z.output<typeof compsObject>;

/** What the fields have to fulfil together. */
export function checkComps(query: CompsQuery, context: z.core.$RefinementCtx): void {
  if ([query.fips, query.point, query.zip, query.polygon].every(scope => scope === undefined)) {
    context.addIssue({
      code: 'custom',
      path: ['fips'],
      message: 'give at least one of fips, point, zip and polygon',
    });
  }
  const radius = query.point === undefined ? undefined : radiusFault(query.dist);
  if (radius !== undefined) context.addIssue({ code: 'custom', path: ['dist'], message: radius });
  for (const name of ['dom', 'acres'] as const) {
    const [least, most] = [query[`${name}_min`], query[`${name}_max`]];
    if (least !== undefined && most !== undefined && least > most) {
      context.addIssue({
        code: 'custom',
        path: [`${name}_min`],
        message: `must not be over ${name}_max, which is ${most}`,
      });
    }
  }
}

/** The same as JSON, where numbers and shapes need not be texts. */
export const compsRequest = z.preprocess(
  given =>
    isRecord(given)
      ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toText(value)]))
      : given,
  compsObject.superRefine(checkComps),
);

const isRecord = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

function toText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? value.map(toText) : isRecord(value) ? JSON.stringify(value) : value;
}

function radiusFault(dist: string | string[] | undefined): string | undefined {
  if (dist === undefined) return undefined;
  if (typeof dist !== 'string') return 'must be given once';
  if (!/^[0-9]{1,9}$/.test(dist)) return 'must be a whole number, 0 or more';
  return Number(dist) > MAX_DIST_M ? `must be at most ${MAX_DIST_M}` : undefined;
}

export const radiusOf = ({ dist }: CompsQuery): number => Number(dist ?? DEFAULT_DIST_M);
