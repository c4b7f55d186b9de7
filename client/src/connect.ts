import createClient, { type Client } from 'openapi-fetch';
import type { Budget } from './budget.ts';
import { withBudget } from './budgeted-calls.ts';
import type { paths } from './openapi.ts';
import { type RetryOptions, type Send, withRetries } from './retries.ts';

/** Calls by method and path, typed from Plat's OpenAPI document. */
export type Plat = Client<paths>;

export type PlatOptions = RetryOptions & {
  /** The address of the Plat server, such as `https://plat.example.com`. */
  baseUrl: string;
  /** An API key with the scope `api:direct`, `plat_…`. */
  key: string;
  /** Calls that don't fit into it throw a `BudgetError` before they are sent. */
  budget?: Budget;
  /** Replaces `fetch`. */
  fetch?: Send;
};

export function connect({
  baseUrl,
  key,
  budget,
  fetch = request => globalThis.fetch(request),
  ...retryOptions
}: PlatOptions): Plat {
  const attempt = budget === undefined ? fetch : withBudget(fetch, budget);
  return createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${key}` },
    fetch: withRetries(attempt, retryOptions),
  });
}
