import { means, SQLSTATE } from './sqlstates.ts';

/**
 * Codes that a client may see, with their statuses. The first status applies unless an error sets another.
 */
export const ERROR_STATUSES = {
  // 416 for a byte range outside a file.
  validation_error: [400, 416],
  unauthorized: [401],
  subscription_required: [402],
  tier_upgrade_required: [402],
  payment_required: [402],
  usage_limit_exceeded: [402],
  payment_method_required: [402],
  usage_backstop_reached: [402],
  forbidden: [403],
  // 410 for expired data, 421 for a request to a host that isn't the service's own.
  not_found: [404, 410, 421],
  method_not_allowed: [405],
  // 409 for conflicts with the current state, such as canceling a file that is ready.
  unprocessable: [422, 409],
  rate_limited: [429],
  internal_error: [500, 503],
} as const satisfies Record<string, readonly number[]>;

export type ApiErrorCode = keyof typeof ERROR_STATUSES;

/**
 * `code` is stable. `message` may be shown and includes the fix. Internal details are in `cause` and only
 * logged.
 */
export type ErrorOptions = {
  /** HTTP status, if it differs from the default for the code, or from 500 for other codes. */
  status?: number;
  /** Details for the client in addition to the message, as a list of messages for each rejected field. */
  details?: Record<string, string[]>;
  /** Whether a retry may succeed without anyone changing anything. Default: false. */
  retryable?: boolean;
  /** Response headers for the error (`Allow`, `Retry-After`, …). */
  headers?: Record<string, string>;
  cause?: unknown;
};

export class PlatError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, string[]> | undefined;
  readonly retryable: boolean;
  readonly headers: Record<string, string>;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'PlatError';
    this.code = code;
    this.status = options.status ?? ERROR_STATUSES[code as ApiErrorCode]?.[0] ?? 500;
    this.details = options.details;
    this.retryable = options.retryable ?? false;
    this.headers = options.headers ?? {};
  }
}

/** The message of a thrown value, which may not be an Error. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(UNSTORABLE, '\ufffd');
}

/**
 * Characters that PostgreSQL text and JSON can't contain. Parser messages can quote them from damaged files.
 */
const UNSTORABLE = /\0|\p{Cs}/gu;

/** The last part of a message about a database that refuses writes. */
export const READ_ONLY =
  'It is a standby, or default_transaction_read_only is on. Point DATABASE_URL at the primary.';

/**
 * Citus source files that communicate with nodes:
 * https://github.com/citusdata/citus/tree/v13.2.2/src/backend/distributed
 */
const CITUS_CONNECTIONS = new Set<unknown>(['remote_commands.c', 'remote_transaction.c']);

/** The SQLSTATE of an error from PostgreSQL, or the errno code of a socket error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'string')
    return undefined;
  // Citus reports the loss of a node during a statement as an internal error.
  const isNodeLost = error.code === 'XX000' && 'file' in error && CITUS_CONNECTIONS.has(error.file);
  return isNodeLost ? SQLSTATE.connectionFailure : error.code;
}

export const isConflict = (error: unknown): boolean => means(errorCode(error), 'conflict');

/** Whether a statement waited or ran too long and was rolled back. */
export const isTooSlow = (error: unknown): boolean => means(errorCode(error), 'slow');

const SQLSTATE_FORM = /^[0-9A-Z]{5}$/;

/**
 * Whether the database is unavailable. An error without a SQLSTATE did not come from the server. It means
 * that there was no connection, a timeout, or a reset.
 */
export function isAway(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || !SQLSTATE_FORM.test(code) || means(code, 'away');
}

/** Whether the same work may succeed later. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof PlatError) return error.retryable;
  const code = errorCode(error);
  if (code !== undefined) return means(code, 'passing');
  // node-postgres reports these without a code: a dropped connection, a connection dropped while idle, and a
  // timeout waiting for a free connection.
  return (
    error instanceof Error &&
    /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/.test(
      error.message,
    )
  );
}
