import type { Caller } from '../http/callers.ts';
import { envelope, toApiError } from '../http/error-responses.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeavyCall } from '../http/heavy-calls.ts';
import type { Metrics } from '../http/metrics.ts';
import { type Call, type Outcome, type ServeDeps, serve } from '../http/serve.ts';
import { describeResult } from './result-text.ts';
import { structured } from './tool-schemas.ts';
import { textOf } from './tool-text.ts';
import { type Arguments, endpointFor, requestOf, type Tool } from './tools.ts';

export type CallDeps = ServeDeps & { metrics: Metrics };

export type ToolCallRequest = {
  exchange: Exchange;
  caller: Caller;
  work: HeavyCall;
  idempotencyKey: string | string[] | undefined;
  apiUrl: string;
  appUrl: string;
  tokens: number;
};

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export type ToolResult = {
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta: Record<string, unknown>;
};

/** How the request path ended: with a result, or without one because the call was canceled. */
type Answered = { result?: ToolResult; status: number };

/** A tool's call as a call to its endpoint: REST's path, whose refusals are results that say so. */
export async function callTool(
  tool: Tool,
  given: Arguments,
  asked: ToolCallRequest,
  signal: AbortSignal,
  deps: CallDeps,
): Promise<ToolResult> {
  const exchange: Exchange = { ...asked.exchange, startedAt: performance.now() };
  const answered: Answered = { status: 499 };
  const call = callOf(tool, given, asked, exchange, answered, signal);
  await serve(call, deps);
  asked.exchange.rate = exchange.rate;
  deps.metrics.observe(
    'MCP',
    call.endpoint.path,
    String(answered.status),
    (performance.now() - exchange.startedAt) / 1_000,
  );
  // The result of a canceled call is not read.
  return answered.result ?? { content: [], isError: true, _meta: {} };
}

/** @param answered where the result goes */
function callOf(
  tool: Tool,
  given: Arguments,
  asked: ToolCallRequest,
  exchange: Exchange,
  answered: Answered,
  signal: AbortSignal,
): Call {
  const endpoint = endpointFor(tool, given);
  const over = new AbortController();
  signal.addEventListener('abort', () => over.abort(), { once: true });
  let query: Record<string, unknown> = {};
  return {
    endpoint,
    mode: 'mcp',
    exchange,
    over,
    identify: async () => asked.caller,
    work: asked.work,
    // The router has read it.
    size: () => 0,
    idempotencyKey: asked.idempotencyKey,
    url: () => addressOf(tool, given),
    apiUrl: () => asked.apiUrl,
    appUrl: () => asked.appUrl,
    async read() {
      const request = requestOf(tool, endpoint, given);
      query = request.query as Record<string, unknown>;
      return request;
    },
    async prepare(outcome) {
      const result = resultOf(tool, outcome, query);
      return {
        tokens: outcome.tokens,
        send() {
          result._meta = metaOf(exchange, outcome);
          asked.tokens += outcome.tokens;
          Object.assign(answered, { result, status: outcome.status });
        },
      };
    },
    fail(error) {
      if (answered.result === undefined) Object.assign(answered, refused(error, asked.exchange, exchange));
    },
    isOver: () => answered.result !== undefined || signal.aborted,
  };
}

/** The result that says why a call was refused. @param http the exchange whose log names a fault of ours */
function refused(error: unknown, http: Exchange, { requestId }: Exchange): Answered {
  const safe = toApiError(error);
  if (safe.status >= 500) http.error ??= error;
  const text = envelope(safe, requestId);
  const _meta = { 'plat/tokens_used': 0, 'plat/request_id': requestId };
  return { result: { content: [{ type: 'text', text }], isError: true, _meta }, status: safe.status };
}

function resultOf(tool: Tool, { body, image, quoted }: Outcome, query: Record<string, unknown>): ToolResult {
  const { name } = tool.definition;
  if (body === null) return { content: [{ type: 'text', text: 'Done.' }], _meta: {} };
  const structuredContent = structured(Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body);
  const text = quoted ? textOf(structuredContent, {}) : describeResult(name, structuredContent, query);
  const content: Content[] = [{ type: 'text', text }];
  if (image !== undefined)
    content.push({ type: 'image', data: image.toString('base64'), mimeType: 'image/jpeg' });
  return { content, structuredContent, _meta: {} };
}

/** What the call has cost and what is left of the period; without a ceiling nothing says how much. */
function metaOf({ requestId }: Exchange, { caller: { account }, tokens }: Outcome): ToolResult['_meta'] {
  const { tokensAllowed, tokensUsed } = account;
  const left = tokensAllowed === null ? null : Math.max(0, tokensAllowed - tokensUsed);
  return { 'plat/tokens_used': tokens, 'plat/tokens_left': left, 'plat/request_id': requestId };
}

/** The path and query at which REST answers the same. */
function addressOf(tool: Tool, given: Arguments): URL {
  const endpoint = endpointFor(tool, given);
  const { params, query } = requestOf(tool, endpoint, given);
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_place, name: string) =>
    encodeURIComponent(String((params as Arguments)[name])),
  );
  const url = new URL(`http://localhost${path}`);
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  return url;
}
