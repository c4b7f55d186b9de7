import type { RequestHandler } from 'express';
import { exchangeOf, respond } from './exchange.ts';
import type { HeaderList } from './headers.ts';

/** Response headers that pages from other origins can read. */
const EXPOSED =
  'ETag, Idempotency-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Tokens-Used, WWW-Authenticate';
/** Request headers that pages from other origins can send. */
const ACCEPTED =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
/** How long a browser caches the preflight response, in seconds. Browsers allow up to two hours. */
const MAX_AGE = '7200';

/** Lets pages from these origins read responses. Keys are in Authorization, so no origin gets credentials. */
export function corsHeaders(allowed: readonly string[], origin: string | undefined): HeaderList {
  if (allowed.includes('*'))
    return ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED];
  if (origin === undefined || !allowed.includes(origin)) return ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, 'Vary', 'Origin'];
}

/**
 * Responds to OPTIONS, including preflight requests. These are free, need no key, and are not rate limited.
 */
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
