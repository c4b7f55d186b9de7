import { PlatError } from '../platform/errors.ts';

/**
 * The error for an account that doesn't have enough tokens left in this period.
 * @param need the number of tokens needed, or a sentence if the number must not be revealed
 */
export function quotaError(
  account: { overageAllowed: boolean; paymentMethod: boolean },
  need: number | string,
  tokensLeft: number,
): PlatError {
  const some = tokensLeft > 0;
  const needs = typeof need === 'number' ? `The call needs ${need} tokens` : need;
  const few = `${needs}, and ${tokensLeft} ${tokensLeft === 1 ? 'is' : 'are'} left`;
  const state = some ? `${few} in this period.` : 'No tokens are left in this period.';
  if (!account.overageAllowed)
    return paymentError('usage_limit_exceeded', `${state} Overage is turned off for the account.`);
  if (!account.paymentMethod)
    return paymentError('payment_method_required', `${state} Overage needs a payment method on file.`);
  return paymentError(
    'usage_backstop_reached',
    some
      ? `${few} before the account's overage limit for this period.`
      : 'The account has reached its overage limit for this period.',
  );
}

/** A 402 error for a problem that the account's owner has to fix. */
export function paymentError(code: string, message: string): PlatError {
  return new PlatError(code, message, { status: 402 });
}
