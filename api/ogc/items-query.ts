import { z } from 'zod';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { validationError } from '../http/error-responses.ts';
import { boxFrom, CRS_NAMES, CRS84 } from './crs.ts';

export const LIMITS = { usual: 10, most: 1_000 };

const once = z.string('must appear only once');

/** OGC API - Features, 7.15.2: a larger limit isn't an error. */
const limit = once
  .regex(/^[0-9]{1,9}$/, 'must be a whole number')
  .transform(Number)
  .refine(value => value >= 1, 'must be 1 or more')
  .transform(value => Math.min(value, LIMITS.most))
  .default(LIMITS.usual);

const bbox = once
  .transform(text => text.split(',').map(part => (part.trim() === '' ? Number.NaN : Number(part))))
  .refine(
    numbers => [4, 6].includes(numbers.length) && numbers.every(Number.isFinite),
    'must be four numbers, separated by commas: west, south, east, north',
  )
  // The third and sixth of six numbers are heights.
  .transform((numbers): Box => {
    const [west, south, east, north] = numbers.length === 4 ? numbers : numbers.toSpliced(5).toSpliced(2, 1);
    return [west!, south!, east!, north!];
  });

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/i;
const TIME = 'must be a date, a date and time such as 2026-01-31T12:00:00Z, or two of them with a / between';

/** First and last day in UTC. Undefined if the interval is open. */
export type Days = { from?: string; to?: string };

const datetime = once.transform((text, context): Days => {
  const ends = text.split('/').map(end => dayOf(end));
  const from = ends[0];
  const to = ends.length === 1 ? from : ends[1];
  const isSound = ends.length <= 2 && !ends.includes(null) && (ends.length === 2 || from !== undefined);
  const isOpen = from === undefined && to === undefined;
  if (isSound && !isOpen && !(from && to && from > to)) return { ...(from && { from }), ...(to && { to }) };
  context.issues.push({ code: 'custom', message: TIME, input: text });
  return z.NEVER;
});

/** The day of one end of an interval, undefined if it is open, or null if it isn't a time. */
function dayOf(text: string): string | undefined | null {
  if (text === '' || text === '..') return undefined;
  const time = DATE_TIME.test(text) ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) return null;
  return time.toISOString().slice(0, 10);
}

const crs = z.enum(CRS_NAMES, `must be one of ${CRS_NAMES.join(', ')}`).default(CRS84);

export const format = z.enum(['json'], 'must be json').optional();

export const itemsQuery = z.strictObject({
  limit,
  bbox: bbox.optional(),
  'bbox-crs': crs,
  crs,
  datetime: datetime.optional(),
  filter: once.optional(),
  'filter-lang': z.enum(['cql2-text'], 'must be cql2-text').optional(),
  'filter-crs': crs,
  cursor: once.max(4_000, 'is not a valid cursor').optional(),
  f: format,
});

/** Shapes need an area. About 1 cm. */
const LEAST_DEG = 1e-7;

/**
 * Boxes in degrees that a `bbox` covers: two if it crosses the 180th meridian, none if it is off the globe.
 * @throws PlatError `validation_error` if its corners are in the wrong order
 */
export function boxesOf(given: Box | undefined, crs: string): Box[] | undefined {
  if (given === undefined) return undefined;
  const [west, south, east, north] = boxFrom(given, crs);
  if (south > north) throw validationError({ bbox: ['must have the lower latitude first'] });
  const parts: Box[] =
    west <= east
      ? [[west, south, east, north]]
      : [
          [west, south, 180, north],
          [-180, south, east, north],
        ];
  return parts.filter(isOnGlobe).map(onGlobe);
}

const isOnGlobe = ([west, south, east, north]: Box): boolean =>
  west <= 180 && east >= -180 && south <= 90 && north >= -90;

function onGlobe([west, south, east, north]: Box): Box {
  const [w, e] = withLength(Math.max(west, -180), Math.min(east, 180), 180);
  const [s, n] = withLength(Math.max(south, -90), Math.min(north, 90), 90);
  return [w, s, e, n];
}

function withLength(from: number, to: number, most: number): [number, number] {
  if (to - from >= LEAST_DEG) return [from, to];
  const start = Math.min(from, most - LEAST_DEG);
  return [start, start + LEAST_DEG];
}
