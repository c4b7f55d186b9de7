import { paymentError, quotaError } from '../../shared/accounts/quota-error.ts';
import { MAP_SCOPE, type Mode, READ_SCOPE, type Scope } from '../../shared/accounts/tiers.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Account, Caller } from './callers.ts';
import { type Endpoint, isReadOnly } from './endpoint.ts';

const SCOPE_OF: Record<Mode, Scope> = { direct: 'api:direct', mcp: 'api:mcp' };

/** Whether an assistant can use only read-only tools. */
export const onlyReads = ({ scopes }: Pick<Caller, 'scopes'>): boolean =>
  scopes.includes(READ_SCOPE) && !scopes.includes('api:mcp');

/** @throws PlatError `forbidden` if the key's or the assistant's scopes don't include the call */
export function requireScope(caller: Caller, endpoint: Endpoint): void {
  const scope = SCOPE_OF[caller.mode];
  if (caller.scopes.includes(scope)) return;
  if (endpoint.forMaps && caller.scopes.includes(MAP_SCOPE)) return;
  const mayRead = caller.mode === 'mcp' && onlyReads(caller);
  if (mayRead && isReadOnly(endpoint)) return;
  const message = mayRead
    ? `This access is read-only. To allow changes, connect the assistant again with the scope ${scope}.`
    : `This API key lacks the scope ${scope}. Use a key that has it.`;
  throw new PlatError('forbidden', message);
}

/** @throws PlatError `forbidden` for a skip trace if skip tracing is off for the account */
export function requireEndpointAccess({ account }: Caller, { rate }: Pick<Endpoint, 'rate'>): void {
  if (rate !== 'skip_trace' || account.skipTrace) return;
  throw new PlatError('forbidden', 'Skip tracing is turned off for this account.');
}

/**
 * @throws PlatError `subscription_required`, `tier_upgrade_required`, or `payment_required`, in this order
 */
export function requireSubscription({ account, mode }: Caller, withoutContract = false): void {
  if (!account.pro) throw paymentError('subscription_required', 'A Pro subscription is required.');
  if (account.tier === null) {
    if (withoutContract) return;
    throw subscriptionRequired();
  }
  if (mode === 'direct' && !account.direct) {
    throw paymentError(
      'tier_upgrade_required',
      `The ${account.tier} tier does not include the REST API. Upgrade to a higher API tier.`,
    );
  }
  if (!account.invoicePaid)
    throw paymentError('payment_required', 'The invoice for the API add-on is unpaid.');
}

export function subscriptionRequired(): PlatError {
  return paymentError('tier_upgrade_required', 'The account has no API contract. Choose an API tier.');
}

/**
 * Skips the work for accounts without enough tokens left. An account that passes can still be refused by the
 * charge, which decides under a lock.
 * @param words what the error says instead of the number of tokens needed
 * @throws PlatError from quotaError
 */
export function requireTokensLeft(account: Account, now: number, need = 1, words?: string): void {
  if (account.tokensAllowed === null || account.periodEnd === null || now >= account.periodEnd) return;
  const tokensLeft = account.tokensAllowed - account.tokensUsed;
  if (Math.max(0, tokensLeft) < need) throw quotaError(account, words ?? need, tokensLeft);
}
