import type { Caller } from '../../http/callers.ts';
import { unavailable } from '../../http/database.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { exchangeOf, isFinished } from '../../http/exchange.ts';
import { bytesOf, type Outcome, serve } from '../../http/serve.ts';
import { requireAccount, type Visit } from './visit.ts';

type PaidCall = {
  params: Record<string, string>;
  /** Created with `pageKey`. Repeating the call within `keptHours` is free and returns the same response. */
  key: string;
  keptHours(body: unknown): number;
};

/**
 * Calls an endpoint that costs tokens, for the session's account. The call is checked, rate limited, charged,
 * and stored like a call over REST.
 * @throws PlatError like the endpoint
 */
export async function callPaid<T>(visit: Visit, endpoint: Endpoint, paid: PaidCall): Promise<T> {
  const { req, res, deps, url, apiUrl, appUrl } = visit;
  const caller: Caller = { account: await requireAccount(visit), scopes: ['api:direct'], mode: 'direct' };
  const abortController = new AbortController();
  const answer: { body?: Buffer; error?: unknown } = {};
  await serve(
    {
      endpoint,
      mode: 'direct',
      exchange: { ...exchangeOf(res) },
      abortController: () => abortController,
      identify: async () => caller,
      work: visit.work,
      size: () => 0,
      idempotencyKey: undefined,
      pageKey: paid.key,
      keptHours: outcome => paid.keptHours(bodyOf(outcome)),
      url: () => url,
      apiUrl: () => apiUrl,
      appUrl: () => appUrl,
      read: async () => ({ params: paid.params, query: {}, body: undefined }),
      prepare: async outcome => ({
        tokens: outcome.tokens,
        send() {
          answer.body = bytesOf(outcome.body)!;
          visit.tokensUsed = outcome.tokens;
        },
      }),
      respondWithError(error) {
        answer.error ??= error;
      },
      isFinished: () => answer.error !== undefined || isFinished(req, res),
    },
    deps,
  );
  if (answer.body === undefined)
    throw answer.error ?? unavailable('The page was closed before the response.');
  return JSON.parse(answer.body.toString()) as T;
}

const bodyOf = ({ body }: Outcome): unknown => (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body);
