import { PlatError } from '../../../shared/base/errors.ts';
import type { DealSubject } from '../../../shared/deals/deal-board.ts';
import { DEAL_MONEY, DEAL_STAGES, DEAL_TYPES, parseMoney } from '../../../shared/deals/deal-terms.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Field, Select, Submit } from '../frame/layout.tsx';
import type { Choice } from './deals-add.ts';
import { STAGE_NAMES } from './deals-board.ts';

const AMOUNTS = ['price', ...DEAL_MONEY] as const;
const LABELS: Record<(typeof AMOUNTS)[number], string> = {
  price: 'List price',
  purchase_price: 'Purchase price',
  agent_fee: 'Agent fee',
  misc_costs: 'Other costs',
  closing_costs: 'Closing costs',
  expected_sell_price: 'Expected sell price',
};
const HINTS: Record<string, string> = {
  price: 'By hand: for a lot that no live listing is found of, else until its listing shows another price.',
};
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
    const amount = (AMOUNTS as readonly string[]).includes(name) ? parseMoney(written) : written;
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

/** Inputs for what a person says of a deal. @param given as typed, where it was refused */
export function DealFields({ deal, given }: { deal?: Deal; given?: URLSearchParams | undefined }) {
  const textOf = (name: string): string => given?.get(name) ?? textIn(deal?.[name as keyof Deal]);
  return (
    <>
      {AMOUNTS.map(name => (
        <Field
          label={LABELS[name]}
          name={name}
          value={textOf(name)}
          hint={HINTS[name]!}
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

/** @param open whether nothing else is on the page yet */
export function AddForm({ given, open }: { given?: URLSearchParams | undefined; open: boolean }) {
  return (
    <details open={open || given !== undefined} class="add">
      <summary>Add a deal</summary>
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
        <details open={AMOUNTS.some(name => given?.get(name))}>
          <summary>Price and costs</summary>
          <div class="row">
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
