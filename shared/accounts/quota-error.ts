import { PlatError } from '../platform/errors.ts';

/**
 * The error for an account without enough tokens left in the period.
 * @param need tokens, or text instead of a number that must stay hidden
 */
export function quotaError(
  account: { overageAllowed: boolean; paymentMethod: boolean },
  need: number | string,
  tokensLeft: number,
): PlatError {
  const some = tokensLeft > 0;
  const needs = typeof need === 'number' ? `This call needs ${need} tokens` : need;
  const few = `${needs}, but only ${tokensLeft} ${tokensLeft === 1 ? 'is' : 'are'} left`;
  const state = some ? `${few} in this period.` : "This period's tokens are used up.";
  if (!account.overageAllowed)
    return paymentError('usage_limit_exceeded', `${state} Overage is turned off for the account.`);
  if (!account.paymentMethod)
    return paymentError('payment_method_required', `${state} Overage needs a payment method on file.`);
  return paymentError(
    'usage_backstop_reached',
    some
      ? `${few} before the account reaches its overage ceiling for this period.`
      : 'The account has reached its overage ceiling for this period.',
  );
}

/** An error that the account's owner must resolve (402). */
export function paymentError(code: string, message: string): PlatError {
  return new PlatError(code, message, { status: 402 });
}
