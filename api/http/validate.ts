import express, { type Request, type Response } from 'express';
import type { z } from 'zod';
import { isNestedDeeper } from '../../shared/platform/nesting.ts';
import type { Endpoint, Input } from './endpoint.ts';
import { bodyError, type Details, notFound, validationError } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';
import { requireText } from './text.ts';

/** Far above any filter; a polygon at its limit of vertices takes about half of it. */
export const MAX_BODY_BYTES = 1_000_000;

/** Deeper than any field of the API. Schemas, fingerprints and messages recurse through a body. */
const MAX_LEVELS = 64;

export const TOO_DEEP = `is nested more than ${MAX_LEVELS} levels deep`;

export const isTooDeep = (value: unknown): boolean => isNestedDeeper(value, MAX_LEVELS);

/** Of any JSON value: what is no object is refused in our own words. */
const parseJson = express.json({ limit: MAX_BODY_BYTES, type: 'application/json', strict: false });

export type RequestInput = { params: object; query: object; body?: unknown };

/** @throws PlatError `validation_error` for a body that is too large or no JSON object */
export async function readRequest(endpoint: Endpoint, req: Request, res: Response): Promise<RequestInput> {
  refuseOversize(req);
  const { params, query } = req;
  if (endpoint.body !== undefined)
    return { params, query, body: await readBody(req, res, endpoint.method === 'patch') };
  if (endpoint.method === 'post' && hasBody(req)) refuseFields(await readBody(req, res, true));
  return { params, query };
}

/**
 * The input by the endpoint's schemas.
 * @param isAddress whether the params stood in the path of a request: malformed, they are the
 * address of nothing
 * @throws PlatError `validation_error` with every rejected field, `not_found` for what is the
 * address of nothing
 */
export function checkInput(
  endpoint: Endpoint,
  given: RequestInput,
  isAddress = false,
): Input<z.ZodType, z.ZodType, z.ZodType> {
  if (isTooDeep(given.body)) throw validationError({ body: [TOO_DEEP] });
  // Without a prototype: a field may be called `__proto__`.
  const details: Details = Object.create(null);
  const params = check(endpoint.params, given.params, 'path', details);
  if (isAddress)
    for (const [name, [complaint]] of Object.entries(details))
      throw notFound(`There is nothing at this path: ${name} ${complaint}.`);
  const input = {
    params,
    query: check(endpoint.query, given.query, 'query', details),
    body:
      endpoint.body === undefined
        ? undefined
        : check(endpoint.body, given.body, 'body', details, fieldsOf(endpoint.query)),
  };
  if (Object.keys(details).length > 0) throw validationError(details);
  requireText(Object.entries(given.query), Object.entries(given.body ?? {}));
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

const hasBody = ({ headers }: Request): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

/** For a POST without a body: a body would be ignored, so it is refused. */
function refuseFields(body: object): void {
  const names = Object.keys(body);
  if (names.length > 0)
    throw validationError(
      Object.fromEntries(names.map(name => [name, ['is not known: this call takes no body']])),
    );
}

/** @param keepsNulls whether null takes a value back, in place of an optional field that is absent */
async function readBody(req: Request, res: Response, keepsNulls: boolean): Promise<object> {
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
  if (keepsNulls) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const fieldsOf = (schema: z.ZodType): string[] => Object.keys((schema as Partial<z.ZodObject>).shape ?? {});

/** @param inQuery fields that belong in the query, which a body may have by mistake */
function check(
  schema: z.ZodType,
  value: unknown,
  part: string,
  details: Details,
  inQuery: readonly string[] = [],
): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    // The field of the request, not the place in its list.
    const at = issue.path.filter(part => typeof part !== 'number').map(String);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const complaint = inQuery.includes(key)
          ? `belongs in the query string: ?${key}=…`
          : `is not a known ${part} field`;
        add(details, [...at, key].join('.'), complaint);
      }
    } else {
      const complaint = messageFor(issue, part);
      const isInList = at.length < issue.path.length && typeof issue.input !== 'object';
      const which = isInList ? `${JSON.stringify(issue.input)?.slice(0, 40)} ` : '';
      add(details, at.join('.') || part, which + complaint);
    }
  }
  return undefined;
}

/** The schema's own words, and where it has none something better than zod's. */
function messageFor(issue: z.core.$ZodIssue, part: string): string {
  if (!/^(Invalid|Too |Unrecognized)/.test(issue.message)) return issue.message;
  if (issue.input === undefined) return 'is required';
  if (part === 'query' && Array.isArray(issue.input)) return 'must be given once';
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`;
    case 'too_small':
      return `must be ${issue.minimum} or more`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return 'is not valid';
  }
}

function add(details: Details, field: string, message: string): void {
  details[field] ??= [];
  if (!details[field].includes(message)) details[field].push(message);
}
