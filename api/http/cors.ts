import type { RequestHandler } from 'express';
import { exchangeOf, respond } from './exchange.ts';
import type { HeaderList } from './headers.ts';

/** What a page of another origin may read beside the body. */
const EXPOSED =
  'ETag, Idempotency-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Tokens-Used, WWW-Authenticate';
/** What it may send. */
const ACCEPTED =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
/** Seconds for which a browser need not ask again; it keeps the answer two hours at most. */
const MAX_AGE = '7200';

/** Lets pages of these origins read answers. Keys travel in Authorization: no origin gets credentials. */
export function corsHeaders(allowed: readonly string[], origin: string | undefined): HeaderList {
  if (allowed.includes('*'))
    return ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED];
  if (origin === undefined || !allowed.includes(origin)) return ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, 'Vary', 'Origin'];
}

/** Answers OPTIONS, a browser's preflight among them: free, without a key, and not counted by rate limits. */
export function answerOptions(methods: readonly string[]): RequestHandler {
  const allow = [...methods, 'OPTIONS'].join(', ');
  return (_req, res) => {
    const { cors } = exchangeOf(res);
    const headers = ['Allow', allow, 'Cache-Control', 'no-store'];
    if (cors.includes('Access-Control-Allow-Origin')) {
      headers.push('Access-Control-Allow-Methods', allow, 'Access-Control-Allow-Headers', ACCEPTED);
      headers.push('Access-Control-Max-Age', MAX_AGE);
    }
    respond(res, 204, headers);
  };
}
