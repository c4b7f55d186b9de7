import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { version } from '../shared/platform/root.ts';
import { endpoints as v1 } from './endpoints.ts';
import { type Endpoint, priceSentence, TAGS } from './http/endpoint.ts';
import { isQuotable, quote } from './http/quote.ts';
import type { ExtraLimit } from './http/rate-limits.ts';
import { errorEnvelope } from './v1/common/request-schemas.ts';

const DESCRIPTION = `US land-parcel data and market statistics.

Every call needs an API key: \`Authorization: Bearer plat_…\`. Calls are paid for in tokens from the allotment of the account's period;
\`X-Tokens-Used\` tells what a call cost. Errors and 304 answers cost nothing, and neither does HEAD; each endpoint says when its
answer is free. Checks are made in this order: key, scope, subscription, tier, payment, rate limit, validation, quota. An account that
has used up all that it may is refused by every priced endpoint (but the owner portfolio, of which one parcel alone is free) before the work, whatever the answer would
have cost; other processes learn of it within seconds. Every priced GET and POST takes \`quote=true\`: it then answers what the call would
cost, by the schema that the operation's \`x-quote\` names, in place of doing it, and free. A POST may carry an \`Idempotency-Key\`: repeated
within 24 hours it is done and billed once. Paths work with and without their trailing slash.
Within v1 only endpoints, optional parameters and response fields are ever added.`;

const text = (description: string, example: string) => ({
  description,
  required: true,
  schema: { type: 'string' as const },
  example,
});
const count = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer' as const, minimum: 0 },
  example,
});

const HEADERS = {
  'X-Request-Id': text(
    "The request's own X-Request-Id if that was 1-128 visible ASCII characters, else one that the server issued.",
    '7f3c9a52-2d0e-4c57-9d0b-6f0a4c1e8b11',
  ),
  'X-Tokens-Used': count(
    'What the call cost; 0 on errors and on the answers that the endpoint says are free.',
    10,
  ),
  'X-RateLimit-Limit': count(
    "The size of the account's token bucket: the largest burst of calls. The default one where no account is known (401, 404 and 405 of paths). Full in what is refused before it is counted (402, 403).",
    120,
  ),
  'X-RateLimit-Remaining': count('Calls that the bucket lets through now.', 119),
  'X-RateLimit-Reset': count('The epoch second at which the bucket is full again.', 1_790_000_001),
  'RateLimit-Policy': text(
    'The IETF draft: q calls at once, all of which are there again w seconds later.',
    '"account";q=120;w=120',
  ),
  RateLimit: text(
    'The IETF draft: r calls remain, and all of them are there again in t seconds.',
    '"account";r=119;t=1',
  ),
  ETag: text('Send it back as If-None-Match: an unchanged answer is a free 304.', '"J1Qe0Zl3aPzV4m2kq9yWnA"'),
  'Retry-After': count('Seconds to wait before the next try.', 5),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer'),
  Allow: text('The methods of this path.', 'GET, HEAD'),
  'Idempotency-Replayed': {
    ...text("The answer is the first call's; this one has cost nothing.", 'true'),
    required: false,
  },
  Location: text(
    'Where what was made is.',
    '/api/public/v1/deal-flow/listings/5f0c2a4e-3b1d-4e8f-9a67-1c2d3e4f5a6b/',
  ),
};
type HeaderName = keyof typeof HEADERS;

const ON_EVERY_RESPONSE: HeaderName[] = [
  'X-Request-Id',
  'X-Tokens-Used',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

function headers(...names: HeaderName[]) {
  return Object.fromEntries(
    [...ON_EVERY_RESPONSE, ...names].map(name => [name, { $ref: `#/components/headers/${name}` as const }]),
  );
}

const MESSAGES: Record<string, [code: string, message: string]> = {
  '400': ['validation_error', 'Rejected: fips. See details for the reasons.'],
  '401': ['unauthorized', 'The API key is not known.'],
  '402': [
    'usage_limit_exceeded',
    "The period's tokens are used up and overage is switched off for the account.",
  ],
  '403': ['forbidden', 'This API key lacks the scope api:direct.'],
  '404': ['not_found', 'No county has the FIPS code 99999.'],
  '405': ['method_not_allowed', 'PUT is not possible here; GET, HEAD is.'],
  '409': ['unprocessable', 'The file is ready: it can be deleted, but no longer canceled.'],
  '410': ['not_found', 'Changes after this cursor are kept no longer than 400 days.'],
  '421': ['not_found', 'The service does not answer to this Host: call it by its own address.'],
  '422': ['unprocessable', 'Well-formed, but it cannot be done.'],
  '429': ['rate_limited', 'Too many calls: 60 a minute, in bursts of up to 120. Try again in 1 s.'],
  '500': ['internal_error', 'Something went wrong on our side. Quote the request id when you report it.'],
  '503': ['internal_error', 'The service cannot reach its database. Try again shortly.'],
};

function errorResponse(
  status: string,
  description: string,
  ...names: HeaderName[]
): ZodOpenApiResponseObject {
  const [code, message] = MESSAGES[status]!;
  const details =
    status === '400'
      ? { details: { fips: ['must be a county FIPS code: 5 digits, the leading zero may be missing'] } }
      : {};
  const example = { error: { code, message, request_id: HEADERS['X-Request-Id'].example, ...details } };
  return {
    description,
    headers: headers(...names),
    content: { 'application/json': { schema: errorEnvelope, example } },
  };
}

function commonError(status: string, description: string, ...names: HeaderName[]): ZodOpenApiResponseObject {
  return { id: `Error${status}`, ...errorResponse(status, description, ...names) };
}

const COMMON_ERRORS = {
  '400': commonError(
    '400',
    '`validation_error`: something in the request does not fit; `details` names the fields.',
  ),
  '401': commonError(
    '401',
    '`unauthorized`: no, malformed, unknown, revoked or expired API key.',
    'WWW-Authenticate',
  ),
  '402': commonError(
    '402',
    '`subscription_required`, `tier_upgrade_required`: a Pro subscription or higher API tier is required, or there is no API contract. `payment_required`: the invoice is unpaid. ' +
      '`usage_limit_exceeded`, `payment_method_required`, `usage_backstop_reached`: the tokens of the period are used up.',
  ),
  '403': commonError('403', '`forbidden`: the key lacks the scope, or the resource belongs to someone else.'),
  '405': commonError('405', '`method_not_allowed`', 'Allow'),
  '421': commonError(
    '421',
    "`not_found`: the request's Host is none of the service's own names: call it by its own address.",
  ),
  '429': commonError('429', '`rate_limited`', 'Retry-After'),
  '500': commonError('500', '`internal_error`'),
  '503': commonError(
    '503',
    '`internal_error`: the database cannot be reached, or the service is shutting down.',
    'Retry-After',
  ),
};

const IDEMPOTENCY_KEY = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .meta({
      description:
        'Names this call among those of the account, so that it may be repeated when its answer was lost. For 24 hours a repeat gets the first ' +
        'answer, with `Idempotency-Replayed: true` and `X-Tokens-Used: 0`; one that comes while the first call runs waits for it. The same key with ' +
        'another request is a `validation_error`. Calls that fail are not kept: their repeat is made anew.',
      example: '3f6d1b52-7c0e-4d57-8a3b-1f0a4c1e8b22',
    }),
});

const EXTRA_LIMITS: Record<ExtraLimit, string> = {
  skip_trace:
    'besides the limit of all calls, one of its own for all skip traces together, also over MCP: at most 20 in any sliding 60 seconds, 20 at once among them, unless the account has another. `RateLimit` and ' +
    '`RateLimit-Policy` tell both, `X-RateLimit-…` the one with fewer calls left. A call that one of them refuses takes nothing from the other.',
};

/** Where what a quote is answered with is no answer of the operation's own. */
const QUOTED = {
  description: 'With `quote=true`: what the call would cost.',
  content: { 'application/json': { schema: quote } },
};

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { response, errors, metering, rate } = endpoint;
  const limit = rate === undefined ? '' : `\n\n**Rate limit**: ${EXTRA_LIMITS[rate]}`;
  const etag: HeaderName[] = response.etag ? ['ETag'] : [];
  const examples = response.examples ?? (response.example && { sample: response.example });
  const content = { 'application/json': { schema: response.schema!, ...(examples && { examples }) } };
  const replayed: HeaderName[] = endpoint.method === 'post' ? ['Idempotency-Replayed'] : [];
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    // Not another form of the answer, which every client would have to tell apart.
    ...(isQuotable(endpoint) && { 'x-quote': { $ref: '#/components/schemas/Quote' } }),
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n**Price**: ${priceSentence(metering)}${metering === null ? '' : ` (\`${metering.key}\`)`}.${limit}`,
    requestParams: {
      path: endpoint.params as z.ZodObject,
      query: endpoint.query as z.ZodObject,
      ...(endpoint.method === 'post' ? { header: IDEMPOTENCY_KEY } : {}),
    },
    ...(endpoint.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: endpoint.body } } } }
      : {}),
    responses: {
      [response.status]: {
        description: response.description,
        headers: headers(...etag, ...replayed, ...(response.location ? (['Location'] as const) : [])),
        ...(response.schema && { content }),
      },
      ...(isQuotable(endpoint) && response.status !== 200 && { '200': QUOTED }),
      ...Object.fromEntries(
        Object.entries(response.also ?? {}).map(([status, description]) => [
          status,
          {
            description,
            headers: headers(...replayed),
            content,
          },
        ]),
      ),
      ...(response.etag
        ? {
            '304': {
              description: 'Unchanged since the answer with the ETag of If-None-Match; free.',
              headers: headers(...etag),
            },
          }
        : {}),
      ...COMMON_ERRORS,
      ...(errors.not_found ? { '404': errorResponse('404', `\`not_found\`: ${errors.not_found}`) } : {}),
      ...(errors.conflict ? { '409': errorResponse('409', `\`unprocessable\`: ${errors.conflict}`) } : {}),
      ...(errors.gone ? { '410': errorResponse('410', `\`not_found\`: ${errors.gone}`) } : {}),
      ...(errors.unprocessable
        ? { '422': errorResponse('422', `\`unprocessable\`: ${errors.unprocessable}`) }
        : {}),
    },
  };
}

/** OpenAPI 3.1 of the endpoints; `openapi.json` in the root is a copy of it. */
export function openApiDocument(endpoints: readonly Endpoint[] = v1): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method] = operationOf(endpoint);
  }
  return toDocument(
    createDocument(
      {
        openapi: '3.1.0',
        info: { title: 'Plat', version, description: DESCRIPTION },
        servers: [{ url: '/' }],
        security: [{ apiKey: [] }],
        tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
        paths,
        components: {
          headers: HEADERS,
          schemas: { Quote: quote },
          securitySchemes: {
            apiKey: {
              type: 'http',
              scheme: 'bearer',
              description: 'An API key: `plat_` and 43 more characters.',
            },
          },
        },
      },
      {
        // Fields may be added within v1, so a client must not refuse those that it does not know.
        override: ({ jsonSchema, io }) => {
          if (io === 'output' && jsonSchema.additionalProperties === false)
            delete jsonSchema.additionalProperties;
        },
      },
    ),
  );
}

/** A parameter is described beside its schema, for viewers; Number.MAX_SAFE_INTEGER is no bound of ours. */
function toDocument<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(toDocument) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(
    Object.entries(part)
      .filter(
        ([name, value]) => !(/^(min|max)imum$/.test(name) && Math.abs(value) === Number.MAX_SAFE_INTEGER),
      )
      .map(([name, value]) => [name, toDocument(value)]),
  );
  if ('in' in copy && 'schema' in copy) {
    const { description, ...schema } = copy.schema;
    Object.assign(copy, { schema, description: copy.description ?? description });
  }
  return copy as Part;
}
