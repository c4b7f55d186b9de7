import type { Model } from './linearizable.ts';

/** Prices of the calls in a history, in tokens. */
export const PRICE = { stats: 10, filter: 30 };

/** Less than the calls of a history would cost, so that clients race for the last tokens. */
export const ALLOTMENT = 1_500;

export type AccountInput =
  | { call: 'stats' }
  | { call: 'usage' }
  /** A POST with an Idempotency-Key. */
  | { call: 'filter'; key: string; body: string };

export type AccountOutput = {
  status: number;
  tokens: number;
  /** The response, or the tokens that `usage` reports. */
  answer: string;
};

type Kept = { body: string /** Null if nobody has seen the first response. */; answer: string | null };

export type AccountState = { used: number; keys: Record<string, Kept> };

/** An account with this many tokens and no overage: what calls cost, and what a repeated key returns. */
export function accountModel(allotment: number): Model<AccountState, AccountInput, AccountOutput> {
  const charge = (state: AccountState, tokens: number): AccountState | undefined =>
    state.used + tokens <= allotment ? { ...state, used: state.used + tokens } : undefined;
  return {
    initial: { used: 0, keys: {} },
    nameOf: input => (input.call === 'filter' ? `filter ${input.key} ${input.body}` : input.call),
    apply(state, input, output) {
      if (input.call === 'usage') return Number(output?.answer) === state.used ? state : undefined;
      const price = PRICE[input.call];
      const kept = input.call === 'filter' ? state.keys[input.key] : undefined;
      if (output?.status === 402)
        return kept === undefined && state.used + price > allotment && output.tokens === 0
          ? state
          : undefined;
      if (input.call === 'stats')
        return output === undefined || (output.status === 200 && output.tokens === price)
          ? charge(state, price)
          : undefined;
      if (output?.status === 400) {
        // Another body can be refused while the first call with the key is still running.
        return kept?.body !== input.body && output.tokens === 0 ? state : undefined;
      }
      if (output !== undefined && output.status !== 200) return undefined;
      const answer = output?.answer ?? null;
      const next = { body: input.body, answer };
      const keeping = (from: AccountState | undefined) =>
        from && { ...from, keys: { ...from.keys, [input.key]: next } };
      if (kept === undefined)
        return output === undefined || output.tokens === price ? keeping(charge(state, price)) : undefined;
      // A repeat is free and returns what the first call returned.
      if (output === undefined) return undefined;
      const isRepeat = kept.body === input.body && output.tokens === 0;
      return isRepeat && (kept.answer === null || kept.answer === answer) ? keeping(state) : undefined;
    },
  };
}
