import { parseMoney, toCents } from '../../../shared/deals/deal-terms.ts';
import { type Mailing, setLetterCost } from '../../../shared/lists/replies.ts';
import { cents, count } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { Submit } from '../frame/layout.tsx';
import { requireAccount, type Visit } from '../frame/visit.ts';
import type { ListChange } from './change-list.ts';
import { plural } from './list-words.ts';

/** More than any letter costs. */
const MAX_CENTS = 10_000n;

export async function saveLetterCost(visit: Visit, id: string): Promise<ListChange> {
  const text = (visit.form.get('letter_cost') ?? '').trim();
  const amount = text === '' ? null : parseMoney(text);
  const given = amount == null ? null : toCents(amount);
  if (amount === undefined || (given !== null && (given === 0n || given > MAX_CENTS)))
    throw new PlatError('validation_error', 'Enter the cost of one letter, such as $0.78. Up to $100.');
  const { companyId } = await requireAccount(visit);
  await setLetterCost(visit.deps.db, companyId, id, given === null ? null : Number(given));
  return { words: 'Cost per letter saved' };
}

/** How many letters led to replies and contracts, and what each deal has cost. */
export function MailingResults({ mailing, action }: { mailing: Mailing; action: string }) {
  const { letters, replies, contracts, letter_cents } = mailing;
  if (letters === 0) return null;
  const total = letter_cents === null ? null : letters * letter_cents;
  const costs =
    total === null
      ? []
      : [
          `${dollars(total)} in total`,
          ...(replies > 0 ? [`${dollars(total / replies)} per reply`] : []),
          ...(contracts > 0 ? [`${dollars(total / contracts)} per deal`] : []),
        ];
  return (
    <section class="card mailing" id="mailing" aria-label="Results of the mailing">
      <p>
        <b>
          {count(letters)} mailed, {plural(replies, 'reply', 'replies')}, {count(contracts)} under contract
        </b>
        {costs.length > 0 && <small> {costs.join(' · ')}</small>}
      </p>
      <form method="post" action={action} class="inline">
        <label for="letter_cost">Cost per letter</label>
        <input
          id="letter_cost"
          name="letter_cost"
          inputmode="decimal"
          placeholder="$0.78"
          class="short"
          value={letter_cents === null ? '' : cents(letter_cents)}
        />
        <Submit label="Save" does="letter_cost" kind="second small" />
      </form>
    </section>
  );
}

const dollars = (amount: number): string => cents(Math.round(amount));
