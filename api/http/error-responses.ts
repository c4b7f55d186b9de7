import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express';
import { ERROR_STATUSES, PlatError } from '../../shared/platform/errors.ts';
import { exchangeOf, respond } from './exchange.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export type Details = Record<string, string[]>;

export function validationError(details: Details, headers: Record<string, string> = {}): PlatError {
  const fields = Object.keys(details);
  const message = `Rejected: ${fields.join(', ')}. See details for the reasons.`;
  return new PlatError('validation_error', message, { details, headers });
}

export const notFound = (message: string): PlatError => new PlatError('not_found', message);
export const unprocessable = (message: string): PlatError => new PlatError('unprocessable', message);
/** @param seconds until the client can try again */
export const rateLimited = (message: string, seconds: number, retryable = false): PlatError =>
  new PlatError('rate_limited', message, { headers: { 'Retry-After': String(seconds) }, retryable });
/** The current state of the resource doesn't allow the request. */
export const conflict = (message: string): PlatError =>
  new PlatError('unprocessable', message, { status: 409 });

/** For `catch`: returns undefined for expected errors and rethrows all others. */
export const undefinedIf =
  (isExpected: (error: PlatError) => boolean) =>
  (error: unknown): undefined => {
    if (error instanceof PlatError && isExpected(error)) return undefined;
    throw error;
  };

/** For a part of a page when another part already shows the error. */
export const undefinedIfRefused = undefinedIf(({ status }) => status < 500);

export function envelope(error: PlatError, requestId: string): string {
  const { code, message, details } = error;
  return JSON.stringify({ error: { code, message, request_id: requestId, ...(details ? { details } : {}) } });
}

/** body-parser's errors by their `type`: https://github.com/expressjs/body-parser#errors */
const BODY_ERRORS: Record<string, string> = {
  'entity.parse.failed': 'is not valid JSON',
  'entity.verify.failed': 'is not valid JSON',
  'entity.too.large': 'is larger than the limit of 1 MB',
  'encoding.unsupported': 'has an unsupported Content-Encoding: use gzip, deflate, br, or none',
  'charset.unsupported': 'has an unsupported character set: use UTF-8',
  'request.size.invalid': 'does not match its Content-Length',
  'request.aborted': 'did not arrive completely',
};

/** Converts an error from body-parser. Errors without a `type` come from the decompressor. */
export function bodyError(error: unknown): unknown {
  const type = property(error, 'type');
  if (typeof type === 'string') {
    const complaint = BODY_ERRORS[type];
    return complaint === undefined ? error : validationError({ body: [complaint] });
  }
  if (property(error, 'status') !== 400) return error;
  return validationError({ body: ['cannot be decompressed with its Content-Encoding'] });
}

/** The error to show the client. Unexpected errors become an internal error. */
export function toApiError(error: unknown): PlatError {
  if (error instanceof PlatError && error.code in ERROR_STATUSES) return error;
  // Express throws this for a path with a broken percent escape.
  if (error instanceof URIError) return validationError({ path: ['is not a valid percent-encoded path'] });
  return new PlatError(
    'internal_error',
    'Something went wrong on our side. Include the request id when you report it.',
    { cause: error },
  );
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Records an error with its response. @returns the error to send, or undefined if a response has started */
export function faultOf(res: Response, error: unknown): PlatError | undefined {
  const safe = toApiError(error);
  if (safe.status >= 500) exchangeOf(res).error = error;
  if (!res.headersSent) return safe;
  // Closing the connection signals that the response is incomplete.
  res.destroy();
  return undefined;
}

/** Sends the error envelope with the error's headers. */
export function sendError(res: Response, error: unknown): void {
  const safe = faultOf(res, error);
  if (safe === undefined) return;
  const headers = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'];
  headers.push(...Object.entries(safe.headers).flat());
  respond(res, safe.status, headers, envelope(safe, exchangeOf(res).requestId));
}

/** The last handler. Express recognizes it by its four parameters. */
export const errorHandler: ErrorRequestHandler = (error, _req, res, _next) => sendError(res, error);

export const unknownPath: RequestHandler = (req, res) =>
  sendError(res, notFound(`No endpoint matches ${req.method} on this path. /docs lists the endpoints.`));

/** Registers a GET and HEAD path that is neither an API endpoint nor an app page, such as `/healthz`. */
export function answerGet(
  router: Router,
  path: string,
  handle: (req: Request, res: Response) => unknown,
): void {
  router
    .route(path)
    .get(async (req, res) => {
      exchangeOf(res).route = path;
      try {
        await handle(req, res);
      } catch (error) {
        sendError(res, error);
      }
    })
    .all(methodNotAllowed('GET', 'HEAD'));
}

export function methodNotAllowed(...allowed: string[]): RequestHandler {
  const headers = { Allow: allowed.join(', ') };
  return (req, res) => {
    const message = `${req.method} is not allowed here. Allowed methods: ${headers.Allow}.`;
    sendError(res, new PlatError('method_not_allowed', message, { headers }));
  };
}
