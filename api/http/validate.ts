import express, { type Request, type Response } from 'express';
import type { z } from 'zod';
import type { Endpoint, Input } from './endpoint.ts';
import { bodyError, type Details, validationError } from './errors.ts';
import { exchangeOf } from './exchange.ts';

/** Far above any filter; a polygon at its limit of vertices takes about half of it. */
export const MAX_BODY_BYTES = 1_000_000;

/** Of any JSON value: what is no object is refused in our own words. */
const parseJson = express.json({ limit: MAX_BODY_BYTES, type: 'application/json', strict: false });

/**
 * Path, query and body as the endpoint's schemas describe them.
 * @throws PlatError `validation_error` with every rejected field.
 */
export async function readInput(
  endpoint: Endpoint,
  req: Request,
  res: Response,
): Promise<Input<z.ZodType, z.ZodType, z.ZodType>> {
  refuseOversize(req);
  const body = endpoint.body === undefined ? undefined : await readBody(req, res);
  // Without a prototype: a field may be called `__proto__`.
  const details: Details = Object.create(null);
  const input = {
    params: check(endpoint.params, req.params, 'path', details),
    query: check(endpoint.query, req.query, 'query', details),
    body: endpoint.body === undefined ? undefined : check(endpoint.body, body, 'body', details),
  };
  if (Object.keys(details).length > 0) throw validationError(details);
  return input;
}

/** Also for a GET, whose body means nothing: a client that sends megabytes should hear of it. */
function refuseOversize(req: Request): void {
  if (Number(req.headers['content-length'] ?? 0) <= MAX_BODY_BYTES) return;
  throw validationError(
    { body: [`is larger than the ${MAX_BODY_BYTES / 1e6} MB that are allowed`] },
    { Connection: 'close' },
  );
}

async function readBody(req: Request, res: Response): Promise<unknown> {
  const type = req.headers['content-type'];
  if (type === undefined || !/^application\/json *(;|$)/i.test(type)) {
    throw validationError({ body: ['must be JSON, with Content-Type: application/json'] });
  }
  const exchange = exchangeOf(res);
  exchange.awaitsBody = true;
  await new Promise<void>((resolve, reject) => {
    parseJson(req, res, (error?: unknown) => (error ? reject(bodyError(error)) : resolve()));
  });
  exchange.awaitsBody = false;
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw validationError({ body: ['must be a JSON object'] });
  }
  return body;
}

function check(schema: z.ZodType, value: unknown, part: string, details: Details): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const at = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(details, [...at, key].join('.'), `is not a known ${part} field`);
    } else {
      add(details, at.join('.') || part, issue.message);
    }
  }
  return undefined;
}

function add(details: Details, field: string, message: string): void {
  details[field] ??= [];
  details[field].push(message);
}
