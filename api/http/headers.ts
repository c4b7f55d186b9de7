import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import { type RateState, rateHeaders } from './rate-limits.ts';

/** Names and values alternate, a form that writeHead accepts. Setting them one by one takes 10 µs longer. */
export type HeaderList = string[];

/** Collects Helmet's headers once, because they don't depend on the request. */
function collect(options: HelmetOptions): HeaderList {
  const headers: HeaderList = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => {},
  } as unknown as ServerResponse;
  helmet(options)({} as IncomingMessage, response, () => {});
  return headers;
}

/** API responses are data, so nothing may be loaded, framed, or sniffed. */
const apiSecurityHeaders = collect({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // These headers matter only for documents, downloads in old browsers, and Flash.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xDnsPrefetchControl: false,
});

/** For our own pages (documentation, queues): Helmet's defaults, with everything loaded from this origin. */
export const pageSecurityHeaders = collect({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'base-uri': ["'self'"],
      'font-src': ["'self'", 'data:'],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
      'img-src': ["'self'", 'data:'],
      'object-src': ["'none'"],
      'script-src': ["'self'"],
      // Swagger UI and bull-board set style attributes.
      'style-src': ["'self'", "'unsafe-inline'"],
    },
  },
  xFrameOptions: { action: 'deny' },
});

/** 1-128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The client's id if it is valid, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/** The headers of every response. */
export function headersOf(
  { requestId, rate, cors }: { requestId: string; rate: RateState; cors?: HeaderList },
  tokens = 0,
): HeaderList {
  const ownHeaders = ['X-Request-Id', requestId, 'X-Tokens-Used', String(tokens)];
  return [...ownHeaders, ...rateHeaders(rate), ...apiSecurityHeaders, ...(cors ?? [])];
}

/** For responses written by Express and its middleware. */
export function setHeaders(res: ServerResponse, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at]!, headers[at + 1]!);
}
