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
  expected_sell_price: 'Expected sell price',
  purchase_price: 'Purchase price',
  agent_fee: 'Agent fee',
  closing_costs: 'Closing costs',
  misc_costs: 'Other costs',
};
const AMOUNTS = Object.keys(LABELS) as (keyof typeof LABELS)[];
/** Where nothing is known of it yet. */
const PRICE_HINT = 'Yours until a live listing is found.';
const DAYS = { contract_expiration_date: 'Contract expires', closing_date: 'Closing' } as const;
const TYPE_NAMES = { cash_close: 'Cash close', double_close: 'Double close' } as const;

const ENTRIES = [...AMOUNTS, ...Object.keys(DAYS), 'deal_type', 'status'];

/**
 * What a form says of a deal; a price that was only shown is none. @param whole whether an empty field takes
 * a value back @throws PlatError `validation_error`
 */
export function readFields(form: URLSearchParams, whole: boolean): Record<string, string | null> {
  const fields: Record<string, string | null> = {};
  const details: Record<string, string[]> = {};
  for (const name of ENTRIES) {
    const written = form.get(name)?.trim();
    if (written === undefined || (name === 'price' && written === form.get('price_shown'))) continue;
    if (written === '' && name !== 'status') {
      if (whole && name !== 'deal_type') fields[name] = null;
      continue;
    }
    const amount = Object.hasOwn(LABELS, name) ? parseMoney(written) : written;
    if (amount === undefined)
      details[name] = [`"${written.slice(0, 40)}" is no amount: write $18,400, 18.4k or 18400.50.`];
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
  /** As typed, where it was refused. */
  given?: URLSearchParams | undefined;
  /** By their fields. */
  hints?: Record<string, ComponentChildren>;
};

/** Inputs for what a person says of a deal. */
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
  /** What its live listing asks. */
  asking: number | null;
  given: URLSearchParams | undefined;
};

/** What a person says of a deal, and the profit that follows. */
export function PriceForm({ deal, asking, given }: PriceFormProps) {
  const { price, expected_sell_price: hoped, figures, fetch_status: state } = deal;
  const value = figures?.mean_adjusted_price ?? null;
  const worth = value === null ? null : Math.round(Number(value));
  const spend = spendOf(deal);
  const sellPrice = hoped === null ? price : Number(hoped);
  const hints: Record<string, ComponentChildren> = {
    price:
      price === null || state !== 'found'
        ? PRICE_HINT
        : asking === null || asking === price
          ? 'Yours until the live listing shows another.'
          : `Yours; the listing asks ${usd(asking)}.`,
    ...(worth !== null && {
      expected_sell_price: (
        <>
          Estimated value {usd(worth)} ·{' '}
          <a href={`/deals/${deal.id}?expected_sell_price=${worth}#expected_sell_price`}>use it</a>
        </>
      ),
    }),
  };
  return (
    <Panel
      id="price-and-costs"
      title="Price and costs"
      aside={<small>Changed {moment(deal.updated_at)}</small>}
    >
      <form method="post" action={`/deals/${deal.id}`} class="stack">
        <div class="fields">
          <DealFields deal={deal} given={given} hints={hints} />
        </div>
        {sellPrice !== null && (
          <p class="profit">
            <span>
              {usd(sellPrice)} {hoped === null ? 'list price' : 'sell price'}
              {spend > 0n && ` − ${dollars(spend)} spent`}
            </span>{' '}
            <b>{money(deal.expected_profit)} profit</b>
          </p>
        )}
        <div class="buttons">
          <button type="submit">Save</button>
          <button type="reset" class="quiet">
            Undo changes
          </button>
        </div>
      </form>
    </Panel>
  );
}

/** @param open whether nothing else is on the page yet */
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
            label="Parcel id, APN or address"
            name="what"
            required
            maxlength={2_000}
            value={given?.get('what') ?? ''}
            hint="As you have it: 3301900000149; 9-11, Sullivan, NH; 374 Martin Road; or the address of the listing's page."
          />
          <Field
            label="County"
            name="county"
            maxlength={100}
            value={given?.get('county') ?? ''}
            placeholder="Sullivan, NH"
            hint="For an APN, unless it says so itself."
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
          <Submit label="Add" does="add" />
        </div>
      </form>
    </details>
  );
}

/** What a pasted text may mean, each with its button. */
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
              <Submit label="Add this" does="add" kind="second" />
            </form>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a choice's form names. */
export function subjectIn(form: URLSearchParams): DealSubject | undefined {
  const property = form.get('property_id');
  const listing = form.get('listing_id');
  const url = form.get('listing_url');
  if (property !== null) return { property_id: Number(property) };
  if (listing !== null) return { listing_id: listing };
  return url === null ? undefined : { listing_url: url };
}
