import type { components } from './openapi.ts';

export type Quote = components['schemas']['Quote'];

/** The outcome of a call: `data`, or the error that the service returned. */
export type Result<Data> = Promise<{ data?: Data; error?: unknown; response: Response }>;

type Envelope = {
  error: { code: string; message: string; details?: Record<string, string[]>; request_id: string };
};

/** An error that the service returned. docs/billing.md and the API's documentation list the codes. */
export class PlatError extends Error {
  override readonly name = 'PlatError';
  readonly status: number;
  /** Such as `validation_error`. `unknown` if something other than Plat responded. */
  readonly code: string;
  /** What is wrong with each field of the request. */
  readonly details: Record<string, string[]>;
  readonly requestId: string | null;

  constructor({ status, headers }: Response, error: unknown) {
    const {
      code,
      message,
      details = {},
    } = isEnvelope(error)
      ? error.error
      : { code: 'unknown', message: `The server returned status ${status}.` };
    super([message, ...reasonsOf(details)].join('\n  '));
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = headers.get('X-Request-Id');
  }
}

export const reasonsOf = (details: Record<string, string[]> = {}): string[] =>
  Object.entries(details).map(([field, why]) => `${field} ${why.join('; ')}`);

const isEnvelope = (error: unknown): error is Envelope =>
  typeof error === 'object' && error !== null && typeof (error as Envelope).error?.code === 'string';

/** The data of a call. @throws PlatError if the service returned an error */
export async function unwrap<Data>(result: Result<Data>): Promise<Data> {
  const { data, error, response } = await result;
  if (!response.ok) throw new PlatError(response, error);
  return data as Data;
}

/** The price of a call that has `quote: true` in its query. @throws PlatError */
export async function quoted(result: Result<unknown>): Promise<Quote> {
  return (await unwrap(result)) as Quote;
}
