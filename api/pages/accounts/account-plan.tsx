import { cents, count } from '../../../shared/model/figures.ts';
import { PRICES, type Price, priceText } from '../../../shared/model/prices.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Facts, Grid, Panel } from '../frame/layout.tsx';
import { capitalized, nameOf, type Usage } from './account-usage.tsx';

/** What the plan costs, what it includes, and what happens when its tokens run out. */
export function Plan({ usage: { terms, totals, direct, priceCents } }: { usage: Usage }) {
  if (terms.tier === null) return null;
  const overage = totals.overage_amount_cents;
  const facts: [string, string | null][] = [
    ['Price', priceCents === null ? 'Agreed with your operator' : `${cents(priceCents)} per month`],
    ['Includes', `${count(terms.tokens_included)} tokens per month`],
    ['More tokens', overageTerms(terms)],
    [
      'This month so far',
      priceCents === null
        ? overage > 0
          ? `${cents(overage)} overage`
          : null
        : `${cents(priceCents + overage)}${overage > 0 ? `, including ${cents(overage)} for overage` : ''}`,
    ],
    ['Permissions', direct ? 'REST API and MCP' : 'MCP only. The REST API needs a higher tier.'],
    ['Payment method', terms.payment_method ? 'On file' : 'None on file'],
    ['Invoice', terms.invoice_paid ? 'Paid' : 'Unpaid. Calls are refused.'],
    ['Calls per minute', `${count(terms.rate_per_minute)}, with bursts of up to ${count(terms.rate_burst)}`],
    ['Skip traces per minute', count(terms.skip_trace_per_minute)],
  ];
  return (
    <Panel id="plan" title={`${capitalized(terms.tier)} plan`}>
      <Facts kind="filled" of={facts} />
      <p>
        <a href="#prices">What costs tokens</a>
      </p>
    </Panel>
  );
}

function overageTerms(terms: Usage['terms']): string {
  const { overage_allowed, overage_cents_per_1000: price, backstop_tokens: most, payment_method } = terms;
  if (!overage_allowed) return 'Not included. When tokens run out, calls are refused until the period ends.';
  if (!payment_method) return 'Refused until a payment method is on file.';
  const limit = most === null ? '' : `, up to ${count(most)} tokens per month`;
  return `${cents(price)} per 1,000 tokens${limit}`;
}

/** The app's orders. Everything else on its pages is free. */
const IN_APP: readonly (readonly [name: string, price: Price | readonly Price[]])[] = [
  ['Phone numbers', PRICES.phones],
  ['Exports', [PRICES.exportRows, PRICES.exportMarkets]],
];

/**
 * Every price, from the declarations of the calls, in tokens and in dollars at the plan's overage
 * price.
 */
type CostsProps = { usage: Usage; endpoints: readonly Endpoint[] };

export function Costs({ usage: { terms }, endpoints }: CostsProps) {
  const rate = terms.overage_allowed ? terms.overage_cents_per_1000 : 0;
  const heads = ['Call', 'Price', ...(rate > 0 ? ['Beyond the plan'] : []), 'Free'];
  return (
    <Panel id="prices" title="What costs tokens" flush>
      <p>
        The app is free, except for what you order:{' '}
        {IN_APP.map(([name, price]) => `${name.toLowerCase()} (${priceText(price)})`).join(' and ')}. API
        calls and assistants pay the prices below. Calls that aren't listed are free, and so are calls that
        fail.
      </p>
      <details>
        <summary>All prices</summary>
        <Grid
          name="What costs tokens"
          cards
          heads={heads}
          rows={pricedCalls(endpoints).map(({ name, price, note }) => [
            name,
            priceText(price),
            ...(rate > 0 ? [dollarsOf(price, rate)] : []),
            note,
          ])}
        />
        {rate > 0 && (
          <p>
            <small>Dollars at {cents(rate)} per 1,000 tokens beyond the tokens that the plan includes.</small>
          </p>
        )}
      </details>
    </Panel>
  );
}

type PricedCall = { name: string; price: Price | readonly Price[]; note: string };

/** Calls with the same metering key have the same price. */
function pricedCalls(endpoints: readonly Endpoint[]): PricedCall[] {
  const calls = endpoints.flatMap(({ metering }) => metering ?? []);
  const byKey = new Map(calls.map(call => [call.key, call]));
  return [...byKey.values()].map(({ key, price, note }) => ({ name: nameOf(key), price, note }));
}

const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

/** What the unit of each price costs at a rate in cents per 1,000 tokens. */
const dollarsOf = (price: Price | readonly Price[], rate: number): string =>
  [price]
    .flat()
    .map(({ tokens }) => DOLLARS.format((tokens * rate) / 100_000))
    .join(', ');
