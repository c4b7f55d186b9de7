import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { isNestedDeeper } from '../../shared/platform/nesting.ts';
import type { Endpoint, Input } from './endpoint.ts';
import { bodyError, type Details, notFound, validationError } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';
import { requireText } from './text.ts';

/** Far larger than any real filter. A polygon with the maximum number of vertices takes about half of it. */
export const MAX_BODY_BYTES = 1_000_000;

/** Deeper than any field in the API. Schemas, fingerprints, and messages recurse through a body. */
const MAX_LEVELS = 64;

export const TOO_DEEP = `is nested more than ${MAX_LEVELS} levels deep`;

export const isTooDeep = (value: unknown): boolean => isNestedDeeper(value, MAX_LEVELS);

/** Accepts any JSON value, so that we can write our own error for values that aren't objects. */
const parseJson = express.json({ limit: MAX_BODY_BYTES, type: 'application/json', strict: false });

export type RequestInput = { params: object; query: object; body?: unknown };

/** @throws PlatError `validation_error` if the body is too large or not a JSON object */
export async function readRequest(endpoint: Endpoint, req: Request, res: Response): Promise<RequestInput> {
  refuseOversize(req);
  const { params, query } = req;
  if (endpoint.body !== undefined)
    return { params, query, body: await readBody(req, res, endpoint.method === 'patch') };
  if (endpoint.method === 'post' && hasBody(req)) refuseFields(await readBody(req, res, true));
  return { params, query };
}

/**
 * Parses the input with the endpoint's schemas.
 * @param isAddress whether the params come from a request's path
 * @throws PlatError `validation_error` with every rejected field, or `not_found` for malformed params in a
 * path
 */
export function checkInput(
  endpoint: Endpoint,
  given: RequestInput,
  isAddress = false,
): Input<z.ZodType, z.ZodType, z.ZodType> {
  if (isTooDeep(given.body)) throw validationError({ body: [TOO_DEEP] });
  // The object has no prototype, because a field can be named `__proto__`.
  const details: Details = Object.create(null);
  const params = check(endpoint.params, given.params, 'path', details);
  if (isAddress)
    for (const [name, [complaint]] of Object.entries(details))
      throw notFound(`Not found: ${name} ${complaint}.`);
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

/** Also applies to GET. Its body is ignored, but a client that sends megabytes should get an error. */
function refuseOversize(req: Request): void {
  if (Number(req.headers['content-length'] ?? 0) <= MAX_BODY_BYTES) return;
  throw validationError(
    { body: [`is larger than the limit of ${MAX_BODY_BYTES / 1e6} MB`] },
    { Connection: 'close' },
  );
}

const hasBody = ({ headers }: Request): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

/** Rejects a body in a POST that doesn't accept one. Ignoring it would hide a mistake. */
function refuseFields(body: object): void {
  const names = Object.keys(body);
  if (names.length > 0)
    throw validationError(
      Object.fromEntries(names.map(name => [name, ['is not allowed: this call has no request body']])),
    );
}

/** @param keepsNulls whether null clears a value. Otherwise, a null field counts as absent */
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

/** @param inQuery query parameters that a body might contain by mistake */
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
    // Name the request's field, without positions in lists.
    const at = issue.path.filter(part => typeof part !== 'number').map(String);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const complaint = inQuery.includes(key)
          ? `belongs in the query string: ?${key}=…`
          : `is not a known ${part === 'query' ? 'query parameter' : `${part} field`}`;
        add(details, [...at, key].join('.'), complaint + rightForm(schema, key));
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

/** How to write a parameter that was sent as `name[]` or `name[0]`. */
function rightForm(schema: z.ZodType, key: string): string {
  const name = /^(\w+)\[.*\]$/.exec(key)?.[1];
  const parameter = name === undefined ? undefined : (schema as Partial<z.ZodObject>).shape?.[name];
  if (parameter === undefined) return '';
  const issues = z.safeParse(parameter, ['']).error?.issues ?? [];
  const isOne = issues.some(({ code, path }) => path.length === 0 && code !== 'custom');
  return `: write ${name}=…${isOne ? '' : `, and repeat it for several values: ${name}=…&${name}=…`}`;
}

/** The schema's own message, or something better than Zod's default. */
function messageFor(issue: z.core.$ZodIssue, part: string): string {
  if (!/^(Invalid|Too |Unrecognized)/.test(issue.message)) return issue.message;
  if (issue.input === undefined) return 'is required';
  if (part === 'query' && Array.isArray(issue.input)) return 'must appear only once';
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
