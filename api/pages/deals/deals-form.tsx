import type { ComponentChildren } from 'preact';
import type { DealSubject } from '../../../shared/deals/deal-board.ts';
import {
  type DEAL_MONEY,
  DEAL_STAGES,
  DEAL_TYPES,
  dollars,
  parseMoney,
} from '../../../shared/deals/deal-terms.ts';
import { moment, usd } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Field, Panel, Select, Submit } from '../frame/layout.tsx';
import type { Choice } from './deals-add.ts';
import { STAGE_NAMES } from './deals-board.ts';
import { money, spendOf } from './deals-price.tsx';

const LABELS: Record<'price' | (typeof DEAL_MONEY)[number], string> = {
  price: 'List price',
  expected_sell_price: 'Expected sale price',
  purchase_price: 'Purchase price',
  agent_fee: 'Agent fee',
  closing_costs: 'Closing costs',
  misc_costs: 'Other costs',
};
const AMOUNTS = Object.keys(LABELS) as (keyof typeof LABELS)[];
/** For a deal without a listing. */
const PRICE_HINT = 'Used until a live listing is found.';
const DAYS = { contract_expiration_date: 'Contract expires', closing_date: 'Closing date' } as const;
const TYPE_NAMES = { cash_close: 'Cash close', double_close: 'Double close' } as const;

const ENTRIES = [...AMOUNTS, ...Object.keys(DAYS), 'deal_type', 'status'];

/**
 * The fields that a form sets. Omits prices that the form showed and the user didn't change.
 * @param whole whether an empty field removes the value
 * @throws PlatError `validation_error`
 */
export function readFields(form: URLSearchParams, whole: boolean): Record<string, string | null> {
  const fields: Record<string, string | null> = {};
  const details: Record<string, string[]> = {};
  for (const name of ENTRIES) {
    const entered = form.get(name)?.trim();
    if (entered === undefined || (name === 'price' && entered === form.get('price_shown'))) continue;
    if (entered === '' && name !== 'status') {
      if (whole && name !== 'deal_type') fields[name] = null;
      continue;
    }
    const amount = Object.hasOwn(LABELS, name) ? parseMoney(entered) : entered;
    if (amount === undefined)
      details[name] = [`"${entered.slice(0, 40)}" isn't a dollar amount. Enter $18,400, 18.4k, or 18400.50`];
    else fields[name] = amount;
  }
  if (Object.keys(details).length > 0)
    throw new PlatError('validation_error', Object.values(details).flat().join(' '), {
      details,
    });
  return fields;
}

const textIn = (value: unknown): string => String(value ?? '').replace(/\.00$/, '');

type DealFieldsProps = {
  deal?: Deal;
  /** After an error: what the user entered. */
  given?: URLSearchParams | undefined;
  /** By field. */
  hints?: Record<string, ComponentChildren>;
};

/** Inputs for prices, costs, and dates. */
function DealFields({ deal, given, hints = { price: PRICE_HINT } }: DealFieldsProps) {
  const textOf = (name: string): string => given?.get(name) ?? textIn(deal?.[name as keyof Deal]);
  return (
    <>
      {AMOUNTS.map(name => (
        <Field
          label={LABELS[name]}
          name={name}
          value={textOf(name)}
          hint={hints[name]}
          inputmode="decimal"
          placeholder="$"
        />
      ))}
      {deal && <input type="hidden" name="price_shown" value={textIn(deal.price)} />}
      <Field label="Type" name="deal_type">
        <Select
          name="deal_type"
          options={DEAL_TYPES.map(type => [type, TYPE_NAMES[type]])}
          given={textOf('deal_type')}
        />
      </Field>
      {Object.entries(DAYS).map(([name, label]) => (
        <Field label={label} name={name} type="date" value={textOf(name)} />
      ))}
    </>
  );
}

type PriceFormProps = {
  deal: Deal;
  /** The price in the deal's live listing. */
  asking: number | null;
  given: URLSearchParams | undefined;
};

/** A deal's prices, costs, and dates, and the resulting profit. */
export function PriceForm({ deal, asking, given }: PriceFormProps) {
  const { price, expected_sell_price: expected, figures, fetch_status: state } = deal;
  // An estimate that doesn't count isn't suggested as the expected sale price.
  const value = figures?.valuation_problems.length === 0 ? figures.mean_adjusted_price : null;
  const estimate = value === null ? null : Math.round(Number(value));
  const spend = spendOf(deal);
  const sellPrice = expected === null ? price : Number(expected);
  const hints: Record<string, ComponentChildren> = {
    price:
      price === null || state !== 'found'
        ? PRICE_HINT
        : asking === null || asking === price
          ? "Used until the listing's price changes."
          : `Your price. The listing's asking price is ${usd(asking)}.`,
    ...(estimate !== null && {
      expected_sell_price: (
        <>
          Estimated value {usd(estimate)} ·{' '}
          <a href={`/deals/${deal.id}?expected_sell_price=${estimate}#expected_sell_price`}>Use this</a>
        </>
      ),
    }),
  };
  return (
    <Panel
      id="price-and-costs"
      title="Price and costs"
      aside={<small>Updated {moment(deal.updated_at)}</small>}
    >
      <form method="post" action={`/deals/${deal.id}`} class="stack">
        <div class="fields">
          <DealFields deal={deal} given={given} hints={hints} />
        </div>
        {sellPrice !== null && (
          <p class="profit">
            <span>
              {usd(sellPrice)} {expected === null ? 'list price' : 'sale price'}
              {spend > 0n && ` − ${dollars(spend)} spent`}
            </span>{' '}
            <b>{money(deal.expected_profit)} profit</b>
          </p>
        )}
        <div class="buttons">
          <button type="submit">Save changes</button>
          <button type="reset" class="quiet">
            Discard changes
          </button>
        </div>
      </form>
    </Panel>
  );
}

/** @param open whether the form starts open, as it does on an empty board */
export function AddForm({ given, open }: { given?: URLSearchParams | undefined; open: boolean }) {
  return (
    <details open={open || given !== undefined} class="add">
      <summary class="button">
        <Icon name="plus" />
        Add deal
      </summary>
      <form method="post" action="/deals" class="stack">
        <div class="row">
          <Field
            label="Parcel id, APN, or address"
            name="what"
            required
            maxlength={2_000}
            value={given?.get('what') ?? ''}
            hint="Examples: 3301900000149; 9-11, Sullivan, NH; 374 Martin Road; or the URL of the listing page"
          />
          <Field
            label="County"
            name="county"
            maxlength={100}
            value={given?.get('county') ?? ''}
            placeholder="Sullivan, NH"
            hint="Needed for an APN without a county"
          />
          <Field label="Stage" name="status">
            <Select
              name="status"
              options={DEAL_STAGES.map(stage => [stage, STAGE_NAMES[stage]])}
              given={given?.get('status') ?? undefined}
            />
          </Field>
        </div>
        <details class="more" open={AMOUNTS.some(name => given?.get(name))}>
          <summary>Price and costs</summary>
          <div class="fields">
            <DealFields given={given} />
          </div>
        </details>
        <div class="buttons">
          <Submit label="Add deal" does="add" />
        </div>
      </form>
    </details>
  );
}

/** The possible meanings of the entered text, each with a button. */
export function Choices({ choices, given }: { choices: readonly Choice[]; given: URLSearchParams }) {
  return (
    <section class="notice" aria-label="Which parcel is it?">
      <p>Which parcel is it?</p>
      <ul class="plain">
        {choices.map(({ label, subject }) => (
          <li>
            <form method="post" action="/deals" class="buttons">
              {[...ENTRIES, 'county'].map(
                name => given.get(name) && <input type="hidden" name={name} value={given.get(name)!} />,
              )}
              {Object.entries(subject).map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <span>{label}</span>
              <Submit label="Add this one" does="add" kind="second" />
            </form>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The subject that a choice's form names. */
export function subjectIn(form: URLSearchParams): DealSubject | undefined {
  const property = form.get('property_id');
  const listing = form.get('listing_id');
  const url = form.get('listing_url');
  if (property !== null) return { property_id: Number(property) };
  if (listing !== null) return { listing_id: listing };
  return url === null ? undefined : { listing_url: url };
}
