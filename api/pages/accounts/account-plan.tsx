import { cents, count } from '../../../shared/model/figures.ts';
import { PRICES, type Price, priceText } from '../../../shared/model/prices.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Facts, Grid, Panel } from '../frame/layout.tsx';
import { capitalized, type Usage } from './account-usage.tsx';

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
    ['Permissions', direct ? 'REST API and MCP' : 'MCP. For the REST API, you need a higher tier.'],
    ['Payment method', terms.payment_method ? 'On file' : 'None on file'],
    ['Invoice', terms.invoice_paid ? 'Paid' : 'Unpaid. Calls are refused.'],
    ['Calls per minute', `${count(terms.rate_per_minute)}, with bursts of up to ${count(terms.rate_burst)}`],
    ['Skip traces per minute', count(terms.skip_trace_per_minute)],
  ];
  return (
    <Panel id="plan" title={`${capitalized(terms.tier)} plan`}>
      <Facts kind="filled" of={facts} />
      <p class="more">
        <a href="#prices">What costs tokens</a>
      </p>
    </Panel>
  );
}

function overageTerms(terms: Usage['terms']): string {
  const { overage_allowed, overage_cents_per_1000: price, backstop_tokens: most, payment_method } = terms;
  const each = `${cents(price)} per 1,000 tokens`;
  if (!overage_allowed)
    return `${each}, but turned off: when tokens run out, calls are refused until the period ends`;
  if (!payment_method) return `${each}. Refused until a payment method is on file.`;
  return most === null ? each : `${each}, up to ${count(most)} tokens per month`;
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
  const rate = terms.overage_cents_per_1000;
  const heads = ['Call', 'Price', ...(rate > 0 ? ['In dollars'] : [])];
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
            <div>
              {priceText(price)}
              <br />
              <small>{note}</small>
            </div>,
            ...(rate > 0 ? [dollarsOf(price, rate)] : []),
          ])}
        />
        {rate > 0 && (
          <p>
            <small>
              Tokens that the plan includes cost nothing more. Dollars are at its price for more tokens,{' '}
              {cents(rate)} per 1,000.
            </small>
          </p>
        )}
      </details>
    </Panel>
  );
}

type PricedCall = { name: string; price: Price | readonly Price[]; note: string };

const pricedCalls = (endpoints: readonly Endpoint[]): PricedCall[] =>
  endpoints.flatMap(({ summary, metering }) =>
    metering === null
      ? []
      : { name: summary, price: metering.price, note: capitalized(metering.note.replaceAll('`', '')) },
  );

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
