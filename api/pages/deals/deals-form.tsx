import type { ComponentChildren } from 'preact';
import type { DealSubject } from '../../../shared/deals/deal-board.ts';
import {
  type DEAL_MONEY,
  DEAL_STAGES,
  DEAL_TYPES,
  dollars,
  fromCents,
  isPercent,
  parseMoney,
  parsePercent,
  toCents,
} from '../../../shared/deals/deal-terms.ts';
import { moment, usd } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Field, Panel, Select, Submit } from '../frame/layout.tsx';
import type { Choice } from './deals-add.ts';
import { nameOf, STAGE_NAMES } from './deals-board.ts';
import { estimatedCents, money, soldForCents, spendOf } from './deals-price.tsx';

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
const FEE_HINT = 'In dollars, or as a percentage of the sale price, such as 6%.';
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
    const value = entryOf(form, name, entered);
    if (typeof value === 'string') fields[name] = value;
    else details[name] = [value.problem];
  }
  if (Object.keys(details).length > 0)
    throw new PlatError('validation_error', Object.values(details).flat().join(' '), {
      details,
    });
  return fields;
}

/** The value to store. A percentage as the agent fee is a share of the sale price that the form has. */
function entryOf(form: URLSearchParams, name: string, entered: string): string | { problem: string } {
  if (!Object.hasOwn(LABELS, name)) return entered;
  const shown = `"${entered.slice(0, 40)}"`;
  if (name === 'agent_fee' && isPercent(entered)) {
    const price = parseMoney(form.get('expected_sell_price') ?? '') ?? parseMoney(form.get('price') ?? '');
    if (price === undefined)
      return {
        problem: `${shown} needs a price. Enter the expected sale price or the list price, or the fee in dollars`,
      };
    const fee = parsePercent(entered, toCents(price));
    return fee ?? { problem: `${shown} isn't a percentage from 0 to 100%. Enter 6% or 2.5%` };
  }
  return (
    parseMoney(entered) ?? {
      problem: `${shown} isn't a dollar amount. Enter $18,400, 18.4k, or 18400.50`,
    }
  );
}

/** @throws PlatError `validation_error` if the form of a new deal has no stage */
export function requireStage(fields: Record<string, string | null>): Record<string, string | null> {
  if (fields.status) return fields;
  throw new PlatError('validation_error', "Choose the deal's stage.", {
    details: { status: ["Choose the deal's stage"] },
  });
}

/** The stage of a new deal, which the user must choose. */
export const StageField = ({ given }: { given: string | null | undefined }) => (
  <Field label="Stage" name="status">
    <Select
      name="status"
      required
      options={[
        ['', 'Choose a stage'],
        ...DEAL_STAGES.map(stage => [stage, STAGE_NAMES[stage]] as [string, string]),
      ]}
      given={given ?? ''}
    />
  </Field>
);

/** A stored amount as people write it: $18,400. */
function amountText(value: string | number | null | undefined): string {
  if (value == null) return '';
  return money(typeof value === 'number' ? value.toFixed(2) : value);
}

type DealFieldsProps = {
  deal?: Deal;
  /** After an error: what the user entered. */
  given?: URLSearchParams | undefined;
  /** By field. */
  hints?: Record<string, ComponentChildren>;
};

/** Inputs for prices, costs, and dates. */
function DealFields({ deal, given, hints = { price: PRICE_HINT, agent_fee: FEE_HINT } }: DealFieldsProps) {
  const textOf = (name: 'deal_type' | keyof typeof DAYS): string => given?.get(name) ?? deal?.[name] ?? '';
  return (
    <>
      {AMOUNTS.map(name => (
        <Field
          label={LABELS[name]}
          name={name}
          value={given?.get(name) ?? amountText(deal?.[name])}
          hint={hints[name]}
          // The decimal keyboard of phones has no percent sign.
          inputmode={name === 'agent_fee' ? undefined : 'decimal'}
          placeholder="$"
        />
      ))}
      {deal && <input type="hidden" name="price_shown" value={amountText(deal.price)} />}
      <Field label="Type" name="deal_type">
        <Select
          name="deal_type"
          options={DEAL_TYPES.map(type => [type, TYPE_NAMES[type]])}
          given={textOf('deal_type')}
        />
      </Field>
      {(['contract_expiration_date', 'closing_date'] as const).map(name => (
        <Field label={DAYS[name]} name={name} type="date" value={textOf(name)} />
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
  const { price, fetch_status: state } = deal;
  // An estimate that doesn't count isn't suggested as the expected sale price.
  const estimate = estimatedCents(deal);
  const hints: Record<string, ComponentChildren> = {
    price:
      price === null || state !== 'found'
        ? PRICE_HINT
        : asking === null || asking === price
          ? "Used until the listing's price changes."
          : `Your price. The listing's asking price is ${usd(asking)}.`,
    agent_fee: feeHint(deal),
    ...(estimate !== null && {
      expected_sell_price: (
        <>
          Estimated value {dollars(estimate)} ·{' '}
          <a href={`/deals/${deal.id}?expected_sell_price=${fromCents(estimate)}#expected_sell_price`}>
            Use this
          </a>
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
        <ProfitLine deal={deal} />
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

const PERCENT = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 2 });

/** Says which share of the sale price the fee is. */
function feeHint(deal: Deal): string {
  const soldFor = soldForCents(deal);
  if (deal.agent_fee === null || !soldFor) return FEE_HINT;
  const share = PERCENT.format(Number(toCents(deal.agent_fee)) / Number(soldFor));
  return `${share} of the ${dollars(soldFor)} ${priceNameOf(deal)}. ${FEE_HINT}`;
}

const priceNameOf = ({ expected_sell_price }: Deal): string =>
  expected_sell_price === null ? 'list price' : 'expected sale price';

/** How the profit is calculated. */
function ProfitLine({ deal }: { deal: Deal }) {
  const sold = soldForCents(deal);
  const soldFor = sold ?? estimatedCents(deal);
  if (soldFor === null) return null;
  const spend = spendOf(deal);
  return (
    <p class="profit">
      <span>
        {dollars(soldFor)} {sold === null ? 'estimated value' : priceNameOf(deal)}
        {spend > 0n && ` − ${dollars(spend)} spent`}
      </span>{' '}
      <b>{dollars(soldFor - spend)} profit</b>
    </p>
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
          <StageField given={given?.get('status')} />
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
              <EntriesOf given={given} />
              <SubjectOf subject={subject} />
              <span>{label}</span>
              <Submit label="Add this one" does="add" kind="second" />
            </form>
          </li>
        ))}
      </ul>
    </section>
  );
}

type SameDealProps = { deals: readonly Deal[]; subject: DealSubject; given: URLSearchParams };

/** Asks whether to add a deal for a parcel that the board already has. */
export const SameDeal = ({ deals, subject, given }: SameDealProps) => (
  <section class="notice warn" aria-label="Add this parcel again?">
    <Icon name="triangle-alert" />
    <div>
      <p>
        This parcel is already on your board: <DealLinks deals={deals} />. Add it again?
      </p>
      <form method="post" action="/deals" class="buttons">
        <EntriesOf given={given} />
        <SubjectOf subject={subject} />
        <input type="hidden" name="again" value="1" />
        <a class="button second small" href="/deals">
          Don't add
        </a>
        <Submit label="Add another deal" does="add" kind="second small" />
      </form>
    </div>
  </section>
);

/** What the user entered, for the next form. */
const EntriesOf = ({ given }: { given: URLSearchParams }) => (
  <>
    {[...ENTRIES, 'county'].map(
      name => given.get(name) && <input type="hidden" name={name} value={given.get(name)!} />,
    )}
  </>
);

const SubjectOf = ({ subject }: { subject: DealSubject }) => (
  <>
    {Object.entries(subject).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

/** Links to deals, each with its stage. */
export const DealLinks = ({ deals }: { deals: readonly Deal[] }) => (
  <>
    {deals.map((deal, i) => (
      <>
        {i > 0 && ', '}
        <a href={`/deals/${deal.id}`}>{nameOf(deal)}</a> ({STAGE_NAMES[deal.status]})
      </>
    ))}
  </>
);

/** The subject that a choice's form names. */
export function subjectIn(form: URLSearchParams): DealSubject | undefined {
  const property = form.get('property_id');
  const listing = form.get('listing_id');
  const url = form.get('listing_url');
  if (property !== null) return { property_id: Number(property) };
  if (listing !== null) return { listing_id: listing };
  return url === null ? undefined : { listing_url: url };
}
