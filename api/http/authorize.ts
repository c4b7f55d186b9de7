import { paymentError, quotaError } from '../../shared/accounts/quota-error.ts';
import { type Mode, READ_SCOPE, type Scope } from '../../shared/accounts/tiers.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Account, Caller } from './callers.ts';
import { type Endpoint, isReadOnly } from './endpoint.ts';

const SCOPE_OF: Record<Mode, Scope> = { direct: 'api:direct', mcp: 'api:mcp' };

/** Whether an assistant was granted nothing but the tools that change nothing. */
export const onlyReads = ({ scopes }: Pick<Caller, 'scopes'>): boolean =>
  scopes.includes(READ_SCOPE) && !scopes.includes('api:mcp');

/** @throws PlatError `forbidden` when the key's or the assistant's scopes do not include the call */
export function requireScope(caller: Caller, endpoint: Endpoint): void {
  const scope = SCOPE_OF[caller.mode];
  if (caller.scopes.includes(scope)) return;
  const mayRead = caller.mode === 'mcp' && onlyReads(caller);
  if (mayRead && isReadOnly(endpoint)) return;
  const message = mayRead
    ? `This access is read-only. Connect the assistant again with the scope ${scope} to allow changes.`
    : `This API key lacks the scope ${scope}.`;
  throw new PlatError('forbidden', message);
}

/** @throws PlatError `forbidden` when the endpoint traces people and the account is barred from that. */
export function requireEndpointAccess({ account }: Caller, { rate }: Pick<Endpoint, 'rate'>): void {
  if (rate !== 'skip_trace' || account.skipTrace) return;
  throw new PlatError('forbidden', 'The account is barred from skip tracing.');
}

/** @throws PlatError `subscription_required`, `tier_upgrade_required` or `payment_required`, in this order */
export function requireSubscription({ account, mode }: Caller, withoutContract = false): void {
  if (!account.pro) throw paymentError('subscription_required', 'A Pro subscription is required.');
  if (account.tier === null) {
    if (withoutContract) return;
    throw subscriptionRequired();
  }
  if (mode === 'direct' && !account.direct) {
    throw paymentError(
      'tier_upgrade_required',
      `The ${account.tier} tier does not include the REST API. A higher API tier is required.`,
    );
  }
  if (!account.invoicePaid)
    throw paymentError('payment_required', 'The invoice of the API add-on is unpaid.');
}

export function subscriptionRequired(): PlatError {
  return paymentError('tier_upgrade_required', 'The account has no API contract. An API tier is required.');
}

/**
 * Spares the work for accounts that have used up all that they may. An account with a few tokens left passes
 * unless the call needs more: then the charge decides, under a lock.
 * @param words in place of the number that is needed, for the error
 * @throws PlatError as quotaError.
 */
export function requireTokensLeft(account: Account, now: number, need = 1, words?: string): void {
  if (account.tokensAllowed === null || account.periodEnd === null || now >= account.periodEnd) return;
  const tokensLeft = account.tokensAllowed - account.tokensUsed;
  if (tokensLeft < need) throw quotaError(account, words ?? need, tokensLeft);
}
