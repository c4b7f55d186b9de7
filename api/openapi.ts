import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { PRICES, priceText } from '../shared/model/prices.ts';
import { version } from '../shared/platform/root.ts';
import { endpoints as v1 } from './endpoints.ts';
import { type Endpoint, priceSentence, TAGS } from './http/endpoint.ts';
import { isQuotable, quote } from './http/quote.ts';
import { errorEnvelope } from './v1/common/request-schemas.ts';

const DESCRIPTION = `US land-parcel data and market statistics.

- **Authentication.** Send an API key with every call: \`Authorization: Bearer plat_…\`.
- **Price.** Calls cost tokens from the account's allotment for the billing period. The \`X-Tokens-Used\` response header shows the cost.
  Errors, 304 responses, and HEAD requests are free. Each endpoint's description says when its responses are free.
- **Quotes.** Add \`quote=true\` to a priced GET or POST to get its price instead of running it. The response uses the schema in the
  operation's \`x-quote\`. Quotes are free, except for \`POST exports/\`: an export quote counts matches, so it is priced like
  \`POST properties/filter/quote/\` (${priceText(PRICES.quote)}, counted together).
- **No tokens left.** Priced endpoints return 402 without running the call, whatever it would have cost. Pictures, market history, market rankings,
  filter quotes, list rows, and exports can be free, so they return 402 only if the call would cost tokens. It can take a few seconds
  for every server to learn that an account has run out of tokens.
- **Paging.** Set \`page_size\`, and follow \`next\` until it is null. If you set \`page\` yourself, pages are counted from the start, so
  rows can be skipped or repeated when data changes between calls.
- **Nulls.** A field is null when Plat doesn't know its value. A count is also null when it would reveal paid data.
- **Errors.** Every error has a \`code\`, a \`message\`, and a \`request_id\`. Checks run in this order: key, scope, subscription, tier,
  payment, rate limit, validation, quota.
- **Retries.** Send an \`Idempotency-Key\` with a POST. If you repeat the call within 24 hours, it still runs and is billed only once.
- **Stability.** Within v1, Plat only adds endpoints, optional parameters, and response fields. Paths work with or without a trailing slash.`;

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
    'The X-Request-Id that you sent, if it has 1 to 128 visible ASCII characters. Otherwise an id from the server.',
    '7f3c9a52-2d0e-4c57-9d0b-6f0a4c1e8b11',
  ),
  'X-Tokens-Used': count('Cost of the call in tokens. 0 for errors and for free responses.', 10),
  'X-RateLimit-Limit': count(
    'Number of calls the account can make at once. If the account is unknown (401, and 404 or 405 for a path), this is the default limit. Calls refused before the rate limit is checked (403, and 402 for a problem with the subscription, tier, or payment) are not counted, and their headers show the limit as unused.',
    120,
  ),
  'X-RateLimit-Remaining': count('Calls left right now.', 119),
  'X-RateLimit-Reset': count('Time when the full limit is available again, in epoch seconds.', 1_790_000_001),
  'RateLimit-Policy': text(
    'The limit in the format of the IETF draft: q calls at once, all available again after w seconds.',
    '"account";q=120;w=120',
  ),
  RateLimit: text(
    'The state of the limit in the format of the IETF draft: r calls left, all available again in t seconds.',
    '"account";r=119;t=1',
  ),
  ETag: text(
    'Version of the response. Send it as If-None-Match to get a free 304 if the response is unchanged.',
    '"J1Qe0Zl3aPzV4m2kq9yWnA"',
  ),
  'Retry-After': count('Seconds to wait before you try again.', 5),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer'),
  Allow: text('Methods that this path allows.', 'GET, HEAD'),
  'Idempotency-Replayed': {
    ...text('Present if the call was a repeat, which returns the first response for free.', 'true'),
    required: false,
  },
  Location: text(
    'URL of the created resource.',
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
  '401': ['unauthorized', 'Unknown API key. Check that you sent the complete key.'],
  '402': [
    'usage_limit_exceeded',
    'No tokens are left in this period. Overage is turned off for the account.',
  ],
  '403': ['forbidden', 'This API key lacks the scope api:direct. Use a key that has it.'],
  '404': ['not_found', 'No county has the FIPS code 99999.'],
  '405': ['method_not_allowed', 'PUT is not allowed here. Allowed methods: GET, HEAD.'],
  '409': ['unprocessable', 'The export is still in progress. Cancel it first.'],
  '410': ['not_found', 'Changes after this cursor are older than 400 days and were deleted.'],
  '421': ['not_found', 'This service does not accept requests for this host. Use its own address.'],
  '422': ['unprocessable', 'The request is valid, but Plat cannot process it.'],
  '429': [
    'rate_limited',
    'Too many calls. The limit is 60 per minute, in bursts of up to 120. Try again in 1 s.',
  ],
  '500': ['internal_error', 'Something went wrong on our side. Include the request id when you report it.'],
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
      ? { details: { fips: ['must be a county FIPS code: 5 digits, with or without the leading zero'] } }
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
    '`validation_error`: the request is invalid. `details` lists the rejected fields and the reasons.',
  ),
  '401': commonError(
    '401',
    '`unauthorized`: the API key is missing, malformed, unknown, revoked, or expired.',
    'WWW-Authenticate',
  ),
  '402': commonError(
    '402',
    '`subscription_required`: a Pro subscription is required. `tier_upgrade_required`: the account has no API contract, or its tier does not include the REST API. ' +
      '`payment_required`: the invoice is unpaid. `usage_limit_exceeded`, `payment_method_required`, `usage_backstop_reached`: not enough tokens are left in the period.',
  ),
  '403': commonError(
    '403',
    '`forbidden`: the key lacks the scope, or skip tracing is turned off for the account.',
  ),
  '405': commonError('405', '`method_not_allowed`: the path does not allow this method.', 'Allow'),
  '421': commonError(
    '421',
    "`not_found`: the service does not accept requests for this host. Use the service's own address.",
  ),
  '429': commonError(
    '429',
    '`rate_limited`: too many calls. Wait the number of seconds in `Retry-After`.',
    'Retry-After',
  ),
  '500': commonError('500', '`internal_error`: something went wrong on the server.'),
  '503': commonError(
    '503',
    '`internal_error`: the database is unavailable, the call took too long, or the service is shutting down. Wait the number of seconds in `Retry-After`.',
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
        'A unique value of your choice that makes the call safe to retry. For 24 hours, a repeat returns the first response with ' +
        '`Idempotency-Replayed: true` and `X-Tokens-Used: 0`. If the first call is still running, the repeat waits for it to finish. Using the same key for ' +
        'a different request returns a `validation_error`. Failed calls are not stored, so a repeat runs again.',
      example: '3f6d1b52-7c0e-4d57-8a3b-1f0a4c1e8b22',
    }),
});

const SKIP_TRACE_LIMIT =
  'in addition to the limit for all calls, an account can make 20 skip traces in any 60-second period, unless it has a different limit. REST and MCP calls are counted together. `RateLimit` and ' +
  '`RateLimit-Policy` show both limits. `X-RateLimit-…` shows the one with fewer calls left. A call refused by one limit does not count toward the other.';

/** The response to a quote, for operations whose own response has a different status. */
const QUOTED = {
  description: 'With `quote=true`: the price of the call.',
  content: { 'application/json': { schema: quote } },
};

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { response, errors, metering, rate } = endpoint;
  const limit = rate === 'skip_trace' ? `\n\n**Rate limit**: ${SKIP_TRACE_LIMIT}` : '';
  const etag: HeaderName[] = response.etag ? ['ETag'] : [];
  const examples = response.examples ?? (response.example && { sample: response.example });
  const content = { 'application/json': { schema: response.schema!, ...(examples && { examples }) } };
  const replayed: HeaderName[] = endpoint.method === 'post' ? ['Idempotency-Replayed'] : [];
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    // This isn't a variant of the response schema, because then every client would have to distinguish the
    // two.
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
              description: 'Unchanged since the response whose ETag you sent in If-None-Match. Free.',
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

/** The OpenAPI 3.1 document for the endpoints. `openapi.json` in the root folder is a copy. */
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
              description: 'An API key: `plat_` followed by 43 characters.',
            },
          },
        },
      },
      {
        // v1 can gain fields, so clients must accept unknown fields.
        override: ({ jsonSchema, io }) => {
          if (io === 'output' && jsonSchema.additionalProperties === false)
            delete jsonSchema.additionalProperties;
        },
      },
    ),
  );
}

/**
 * Moves the description of a parameter from its schema to the parameter, where viewers show it. Removes
 * Number.MAX_SAFE_INTEGER, which Zod adds but which isn't an API limit.
 */
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
