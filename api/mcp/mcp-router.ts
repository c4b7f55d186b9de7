import { isIP } from 'node:net';
import { toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express, { type Request, type Response, Router } from 'express';
import type { Config } from '../../shared/platform/config.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Origins } from '../../shared/platform/origin.ts';
import type { Callers } from '../http/callers.ts';
import { answerOptions } from '../http/cors.ts';
import { JSON_TYPE, methodNotAllowed, sendError } from '../http/error-responses.ts';
import { exchangeOf, isFinished, respond } from '../http/exchange.ts';
import { LARGE_REQUEST_BYTES, sizeOf } from '../http/heavy-calls.ts';
import { isTooDeep, MAX_BODY_BYTES, TOO_DEEP } from '../http/validate.ts';
import { metadataOf, SCOPE } from '../oauth/oauth-paths.ts';
import { type McpDeps, mcpServers } from './mcp-server.ts';
import type { ToolCallRequest } from './tool-call.ts';
import { parseToolsets, TOOLSETS } from './toolsets.ts';

const PATH = '/mcp';

/**
 * The protocol's method for subscribing to changes. Plat doesn't announce changes, and the library would
 * reject the call.
 */
const LISTEN = 'subscriptions/listen';

const parseJson = express.json({ limit: MAX_BODY_BYTES, type: () => true, strict: false });

type Message = { method?: unknown; id?: string | number | null; params?: { arguments?: unknown } | null };

export type McpRouterDeps = McpDeps & {
  callers: Callers;
  config: Config;
  origins: Origins;
};

/** The library's server that handles calls, and the function that completes the list of tools. */
type Service = McpRouterDeps & {
  handler: ReturnType<typeof createMcpHandler>;
  withTools: ReturnType<typeof mcpServers>['withTools'];
};

/** `POST /mcp`: Streamable HTTP without sessions, so that any process can handle any request. */
export function mcpRouter(deps: McpRouterDeps): Router {
  const { makeServer, withTools } = mcpServers(deps);
  const handler = createMcpHandler(
    ({ authInfo }) => makeServer((authInfo!.extra as { call: ToolCallRequest }).call),
    {
      onerror: error => deps.log.debug({ err: error }, 'a request to /mcp was refused'),
    },
  );
  const service: Service = { ...deps, handler, withTools };
  const router = Router({ caseSensitive: true });
  router
    .route(PATH)
    .post((req, res) => {
      exchangeOf(res).route = PATH;
      answer(service, req, res).catch(error => sendError(res, error));
    })
    .options(answerOptions(['POST']))
    .all(methodNotAllowed('POST'));
  return router;
}

async function answer(service: Service, req: Request, res: Response): Promise<void> {
  const fault = rebindingFault(req, service);
  if (fault !== undefined) return sendRpcError(res, 403, { code: -32_000, message: fault });
  const { authorization } = req.headers;
  // Authenticate before reading the body.
  const caller = await service.callers
    .identify(authorization, 'mcp')
    .catch(error => challenge(error, service.origins.appUrl(), authorization));
  const work = service.heavyCalls.of(caller.account.id, { isFinished: () => isFinished(req, res) });
  try {
    if (sizeOf(req) > LARGE_REQUEST_BYTES) await work.takeTurn();
    const body = await read(req, res);
    const refusal = refusalOf(body);
    if (refusal !== undefined) return sendRpcError(res, refusal.status, refusal);
    const { toolsets, unknownName } = parseToolsets(req.originalUrl);
    if (unknownName !== undefined)
      return sendRpcError(res, 400, unknownToolset(unknownName, body as Message));
    const call: ToolCallRequest = {
      exchange: exchangeOf(res),
      caller,
      toolsets,
      work,
      idempotencyKey: req.headers['idempotency-key'],
      tokens: 0,
      apiUrl: service.origins.apiUrl(req),
      appUrl: service.origins.appUrl(),
    };
    await answerMessage(service, req, res, body, call);
  } finally {
    work.end();
  }
}

type Refusal = { code: number; message: string; id?: string | number | null };

/** The error for a message that isn't passed to the library, or undefined. */
function refusalOf(body: unknown): (Refusal & { status: number }) | undefined {
  if (body === undefined)
    return { status: 400, code: -32_700, message: 'The body must be JSON of up to 1 MB.' };
  if (Array.isArray(body))
    return {
      status: 400,
      code: -32_600,
      message: 'Send one message per request. Batches are not supported.',
    };
  if (isTooDeep(body)) return { status: 400, code: -32_600, message: `The message ${TOO_DEEP}.` };
  const { method, id = null, params } = (body ?? {}) as Message;
  if (hasPrototypeArgument(params))
    return { status: 400, code: -32_602, message: '`__proto__` is not a valid argument.', id };
  if (method === LISTEN)
    return {
      status: 404,
      code: -32_601,
      message: `${LISTEN} is not supported, because this server does not announce changes.`,
      id,
    };
  return undefined;
}

const unknownToolset = (name: string, { id = null }: Message): Refusal => ({
  code: -32_602,
  message: `toolsets: ${name === '' ? 'a name is missing' : `${name} is unknown`}. Use ${TOOLSETS.join(', ')}, separated by commas. Without toolsets, you get all tools.`,
  id,
});

async function answerMessage(
  { handler, withTools }: Service,
  req: Request,
  res: Response,
  body: unknown,
  call: ToolCallRequest,
): Promise<void> {
  const { caller } = call;
  const aborted = new AbortController();
  res.once('close', () => res.writableFinished || aborted.abort());
  const request = await toWebRequest(req, body, { signal: aborted.signal });
  const response = await handler.fetch(request, {
    parsedBody: body,
    authInfo: { token: '', clientId: caller.account.id, scopes: [...caller.scopes], extra: { call } },
  });
  const answered = await response.text();
  if (aborted.signal.aborted) return;
  const { method } = (body ?? {}) as Message;
  const text = method === 'tools/list' ? withTools(answered, call) : answered;
  const headers = [...response.headers].flat().concat('Cache-Control', 'no-store');
  respond(res, response.status, headers, text, call.tokens);
}

/**
 * Adds WWW-Authenticate: where to authorize (RFC 9728 section 5.1), and whether the token is invalid (RFC
 * 6750 section 3). @param appUrl empty if authorization is off
 */
function challenge(error: unknown, appUrl: string, authorization = ''): never {
  if (error instanceof PlatError && error.status === 401) {
    const parameters = /^Bearer\b/i.test(authorization) ? ['error="invalid_token"'] : [];
    if (appUrl !== '')
      parameters.push(`resource_metadata="${metadataOf(new URL(appUrl).origin)}"`, `scope="${SCOPE}"`);
    error.headers['WWW-Authenticate'] = `Bearer ${parameters.join(', ')}`.trim();
  }
  throw error;
}

/** The library would use `__proto__` as the prototype of the arguments and lose it. */
function hasPrototypeArgument(params: Message['params']): boolean {
  const args = params?.arguments;
  return typeof args === 'object' && args !== null && Object.hasOwn(args, '__proto__');
}

/** @returns undefined if it isn't JSON or is too large */
function read(req: Request, res: Response): Promise<unknown> {
  return new Promise(resolve => {
    parseJson(req, res, (error?: unknown) => resolve(error ? undefined : req.body));
  });
}

/**
 * Protects against DNS rebinding, in addition to the Host check. Pages must be on one of the service's own
 * hosts, on an IP address, or in CORS_ORIGINS.
 */
function rebindingFault(
  { headers: { origin } }: Request,
  { config, origins }: McpRouterDeps,
): string | undefined {
  if (origin === undefined || config.CORS_ORIGINS.split(',').some(entry => entry.trim() === origin))
    return undefined;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (origins.isOwnHost(host) || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return 'Pages from this origin cannot call the service. Add it to CORS_ORIGINS.';
}

function sendRpcError(res: Response, status: number, { code, message, id = null }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
  respond(res, status, ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'], body);
}
