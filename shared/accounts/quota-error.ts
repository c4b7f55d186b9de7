import { PlatError } from '../platform/errors.ts';

/**
 * The error of an account that cannot use as much more in this period.
 * @param need tokens, or a text in place of a number that is not told
 */
export function quotaError(
  account: { overageAllowed: boolean; paymentMethod: boolean },
  need: number | string,
  tokensLeft: number,
): PlatError {
  const some = tokensLeft > 0;
  const needs = typeof need === 'number' ? `The call needs ${need} tokens` : need;
  const few = `${needs}, and ${tokensLeft} ${tokensLeft === 1 ? 'is' : 'are'} left`;
  const state = some ? `${few} in this period.` : "The period's tokens are used up.";
  if (!account.overageAllowed)
    return paymentError('usage_limit_exceeded', `${state} Overage is switched off for the account.`);
  if (!account.paymentMethod)
    return paymentError('payment_method_required', `${state} Overage needs a payment method on file.`);
  return paymentError(
    'usage_backstop_reached',
    some
      ? `${few} up to the account's ceiling of overage for this period.`
      : "Overage has reached the account's ceiling for this period.",
  );
}

/** An error that the account's owner has to act on, 402. */
export function paymentError(code: string, message: string): PlatError {
  return new PlatError(code, message, { status: 402 });
}
