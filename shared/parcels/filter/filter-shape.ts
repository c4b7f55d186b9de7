import { z } from 'zod';
import { readWkt, type ShapeRead } from '../../geo/read-shape.ts';
import { isQuick, type ShapeWork } from '../../geo/shape-work.ts';
import { PlatError } from '../../platform/errors.ts';
import type { FilterBody } from './declare-filter.ts';

/** Long text is parsed on first use, off the main thread so that it can't block other requests. */
type LongShape = { text: string; reading?: Promise<ShapeRead> };
type FilterShape = ShapeRead | LongShape;

/**
 * Malformed text is a 400 error. A shape that is too complex is a 422 error, which `readFilterShape` throws.
 */
export const filterShape = z
  .string('must be a WKT geometry as text')
  .transform((text, context): FilterShape => {
    if (!isQuick('readWkt', [text])) return { text };
    const read = readWkt(text);
    if (read.ok || read.kind === 'too_complex') return read;
    context.issues.push({ code: 'custom', message: read.message, input: text });
    return z.NEVER;
  });

export type ReadFilterShape = Extract<ShapeRead, { ok: true }>;

/**
 * The shape of a filter, or undefined.
 * @throws PlatError `validation_error` if it isn't a shape, `unprocessable` if it is too complex,
 * `rate_limited`
 */
export async function readFilterShape(
  body: FilterBody,
  work: ShapeWork,
): Promise<ReadFilterShape | undefined> {
  const shape = body.geom_intersects as FilterShape | undefined;
  if (shape === undefined) return undefined;
  await work.takeTurn();
  const read = 'text' in shape ? await readOnce(shape, work) : shape;
  if (read.ok) return read;
  if (read.kind === 'too_complex') throw tooMuch(read.message);
  throw new PlatError('validation_error', 'Rejected: geom_intersects. See details for the reasons.', {
    details: { geom_intersects: [read.message] },
  });
}

function readOnce(shape: LongShape, { compute }: ShapeWork): Promise<ShapeRead> {
  shape.reading ??= compute('readWkt', shape.text);
  return shape.reading;
}

export const tooMuch = (message: string) => new PlatError('unprocessable', `geom_intersects: ${message}`);
