import { z } from 'zod';
import { swapHint } from '../geo/swap-hint.ts';
import { fips, zip } from '../regions/region-codes.ts';

/**
 * About 124 miles. Comps farther away aren't comparable, and a search takes more work the larger its area.
 */
const MAX_DIST_M = 200_000;
const DEFAULT_DIST_M = 1_000;

/** Maximum for days and photos, well within the range of PostgreSQL's integer. */
const MAX_COUNT = 100_000;
const MAX_ACRES = 1e9;

export const SHOWN_STATUSES = ['ACTIVE', 'PENDING', 'SOLD'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

const ORDERS = ['acres', 'dom', 'ppa', 'price', '-acres', '-dom', '-ppa', '-price'] as const;
export type OrderName = (typeof ORDERS)[number];

/** A parameter that can be repeated. Express passes a single value as text, and several values as a list. */
const repeated = z.union([z.string(), z.array(z.string())]).transform(value => [value].flat());

const numberFrom0 = (type: 'integer' | 'number', pattern: RegExp, most: number) => (description: string) =>
  z
    .string('must appear only once')
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
        ? 'must appear twice, longitude first: point=-72.1&point=43.18'
        : Number.isNaN(lon) || Number.isNaN(lat)
          ? 'must be two numbers in degrees'
          : Math.abs(lon) > 180
            ? 'must start with the longitude, between -180 and 180'
            : Math.abs(lat) > 90
              ? `must end with the latitude, between -90 and 90${swapHint(lon!, lat!) ? `; ${swapHint(lon!, lat!)}` : ''}`
              : swapHint(lon!, lat!);
    if (fault === undefined) return [lon!, lat!];
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  })
  .meta({
    description: 'Center of a circle, longitude first. Send the parameter twice.',
    example: [-72.1, 43.18],
    override: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2, anyOf: undefined },
  });

const status = repeated
  .transform((values, context): ShownStatus[] => {
    const statuses = SHOWN_STATUSES.filter(name => values.includes(name));
    if (values.every(value => (SHOWN_STATUSES as readonly string[]).includes(value))) return statuses;
    context.addIssue({
      code: 'custom',
      message: `must be one or more of ${SHOWN_STATUSES.join(', ')}, each as its own parameter: status=PENDING&status=SOLD`,
    });
    return z.NEVER;
  })
  .meta({
    description: 'Only comps with this status. Repeat the parameter for several.',
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
        'Geodesic radius of the circle around `point`, in meters.\n\nThe circle is a polygon with 256 vertices. Ignored without `point`.',
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
    .string('must appear only once')
    .optional()
    .meta({
      description:
        'GeoJSON Polygon or MultiPolygon as JSON text, in WGS84 with longitude first, up to 10,000 vertices.\n\nMatches comps inside it or on its ' +
        'boundary. Holes are excluded.',
      example:
        '{"type":"Polygon","coordinates":[[[-72.2,43.1],[-72,43.1],[-72,43.3],[-72.2,43.3],[-72.2,43.1]]]}',
    }),
  status: status.optional(),
  age: count('Only comps sold within this number of days before today (UTC).').optional(),
  dom_min: count('Days on market. Minimum, inclusive.').optional(),
  dom_max: count('Days on market. Maximum, inclusive.').optional(),
  acres_min: acres('Lot size in acres. Minimum, inclusive.').optional(),
  acres_max: acres('Lot size in acres. Maximum, inclusive.').optional(),
  min_photos: count('Minimum number of photos.').optional(),
  order: z
    .enum(ORDERS, `must be one of ${ORDERS.join(', ')}`)
    .optional()
    .describe(
      'Sort by lot size, days on market, price per acre, or price. A leading `-` sorts in descending order.\n\nUnknown values and withheld prices ' +
        'come last. Ties are sorted by `id`. Default: `id`.',
    ),
};

const compsObject = z.strictObject(compsFields);
export type CompsQuery = z.output<typeof compsObject>;

/** Checks rules that span several fields. */
export function checkComps(query: CompsQuery, context: z.core.$RefinementCtx): void {
  if ([query.fips, query.point, query.zip, query.polygon].every(scope => scope === undefined)) {
    context.addIssue({
      code: 'custom',
      path: ['fips'],
      message: 'at least one of fips, point, zip, and polygon is required',
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
        message: `must not be greater than ${name}_max, which is ${most}`,
      });
    }
  }
}

/** The same query as a JSON body, where numbers and shapes can be JSON values instead of text. */
export const compsRequest = z.preprocess(
  input =>
    isRecord(input)
      ? Object.fromEntries(Object.entries(input).map(([name, value]) => [name, toText(value)]))
      : input,
  compsObject.superRefine(checkComps),
);

const isRecord = (input: unknown): input is object =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

function toText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? value.map(toText) : isRecord(value) ? JSON.stringify(value) : value;
}

function radiusFault(dist: string | string[] | undefined): string | undefined {
  if (dist === undefined) return undefined;
  if (typeof dist !== 'string') return 'must appear only once';
  if (!/^[0-9]{1,9}$/.test(dist)) return 'must be a whole number, 0 or more';
  return Number(dist) > MAX_DIST_M ? `must be at most ${MAX_DIST_M}` : undefined;
}

export const radiusOf = ({ dist }: CompsQuery): number => Number(dist ?? DEFAULT_DIST_M);
