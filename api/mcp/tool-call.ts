import type { Caller } from '../http/callers.ts';
import { envelope, toApiError } from '../http/error-responses.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HeavyCall } from '../http/heavy-calls.ts';
import type { Metrics } from '../http/metrics.ts';
import { type Call, type Outcome, type ServeDeps, serve } from '../http/serve.ts';
import { describeResult } from './result-text.ts';
import { shorten, shortenedText } from './shorten-result.ts';
import { structured } from './tool-schemas.ts';
import { textOf } from './tool-text.ts';
import { type Arguments, continuationOf, endpointFor, requestOf, skipOf, type Tool } from './tools.ts';
import type { Toolset } from './toolsets.ts';

export type CallDeps = ServeDeps & { metrics: Metrics };

export type ToolCallRequest = {
  exchange: Exchange;
  caller: Caller;
  /** Only tools in these sets exist for the client. */
  toolsets: ReadonlySet<Toolset>;
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

/** The outcome of a call: a result, or none if the call was canceled. */
type Answered = { result?: ToolResult; status: number };

/** Runs a tool as a call to its endpoint, with the same steps as REST. Refusals become error results. */
export async function callTool(
  tool: Tool,
  args: Arguments,
  asked: ToolCallRequest,
  signal: AbortSignal,
  deps: CallDeps,
): Promise<ToolResult> {
  const exchange: Exchange = { ...asked.exchange, startedAt: performance.now() };
  const answered: Answered = { status: 499 };
  const call = callOf(tool, args, asked, exchange, answered, signal);
  await serve(call, deps);
  asked.exchange.rate = exchange.rate;
  deps.metrics.observe(
    'MCP',
    call.endpoint.path,
    String(answered.status),
    (performance.now() - exchange.startedAt) / 1_000,
  );
  // No one reads the result of a canceled call.
  return answered.result ?? { content: [], isError: true, _meta: {} };
}

/** @param answered receives the result */
function callOf(
  tool: Tool,
  args: Arguments,
  asked: ToolCallRequest,
  exchange: Exchange,
  answered: Answered,
  signal: AbortSignal,
): Call {
  const endpoint = endpointFor(tool, args);
  const abortController = new AbortController();
  signal.addEventListener('abort', () => abortController.abort(), { once: true });
  let query: Record<string, unknown> = {};
  let skip = 0;
  return {
    endpoint,
    mode: 'mcp',
    exchange,
    abortController: () => abortController,
    identify: async () => asked.caller,
    work: asked.work,
    // The router has already read the body.
    size: () => 0,
    idempotencyKey: asked.idempotencyKey,
    url: () => addressOf(tool, args),
    apiUrl: () => asked.apiUrl,
    appUrl: () => asked.appUrl,
    async read() {
      skip = skipOf(tool, args);
      const request = requestOf(tool, endpoint, args);
      query = request.query as Record<string, unknown>;
      return request;
    },
    async prepare(outcome) {
      const result = resultOf(tool, outcome, query, skip);
      return {
        tokens: outcome.tokens,
        send() {
          result._meta = metaOf(exchange, outcome);
          asked.tokens += outcome.tokens;
          Object.assign(answered, { result, status: outcome.status });
        },
      };
    },
    respondWithError(error) {
      if (answered.result === undefined) Object.assign(answered, refused(error, asked.exchange, exchange));
    },
    isFinished: () => answered.result !== undefined || signal.aborted,
  };
}

/** The result for a refused call. @param http the exchange, which logs internal errors */
function refused(error: unknown, http: Exchange, { requestId }: Exchange): Answered {
  const safe = toApiError(error);
  if (safe.status >= 500) http.error ??= error;
  const text = envelope(safe, requestId);
  const _meta = { 'plat/tokens_used': 0, 'plat/request_id': requestId };
  return { result: { content: [{ type: 'text', text }], isError: true, _meta }, status: safe.status };
}

function resultOf(
  tool: Tool,
  { body, image, quoted }: Outcome,
  query: Record<string, unknown>,
  skip: number,
): ToolResult {
  const { name } = tool.definition;
  if (body === null) return { content: [{ type: 'text', text: 'Done.' }], _meta: {} };
  const whole = structured(Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body);
  const structuredContent = shorten(whole, skip);
  const { shortened, ...shown } = structuredContent;
  const described = quoted ? textOf(shown, {}) : describeResult(name, shown, query);
  const text = shortened ? `${described}\n${shortenedText(shortened, continuationOf(tool))}` : described;
  const content: Content[] = [{ type: 'text', text }];
  if (image !== undefined)
    content.push({ type: 'image', data: image.toString('base64'), mimeType: 'image/jpeg' });
  return { content, structuredContent, _meta: {} };
}

/** The price of the call, and the tokens left in the period. null if there is no limit. */
function metaOf({ requestId }: Exchange, { caller: { account }, tokens }: Outcome): ToolResult['_meta'] {
  const { tokensAllowed, tokensUsed } = account;
  const left = tokensAllowed === null ? null : Math.max(0, tokensAllowed - tokensUsed);
  return { 'plat/tokens_used': tokens, 'plat/tokens_left': left, 'plat/request_id': requestId };
}

/** Path and query of the same call over REST. */
function addressOf(tool: Tool, args: Arguments): URL {
  const endpoint = endpointFor(tool, args);
  const { params, query } = requestOf(tool, endpoint, args);
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_place, name: string) =>
    encodeURIComponent(String((params as Arguments)[name])),
  );
  const url = new URL(`http://localhost${path}`);
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  return url;
}
