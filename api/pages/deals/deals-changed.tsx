import { DEAL_MONEY } from '../../../shared/deals/deal-terms.ts';
import { day, usd } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { DealEvent } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Submit, Toast } from '../frame/layout.tsx';
import { STAGE_NAMES } from './deals-board.ts';
import { money, SERVICE, type UndoablePrice } from './deals-price.tsx';

/** The fields whose changes a user can make and undo. */
const OWN_FIELDS: readonly string[] = [
  ...DEAL_MONEY,
  'price',
  'status',
  'deal_type',
  'contract_expiration_date',
  'closing_date',
  'advice_held_until',
];

/** The latest change by a user. */
export const latestChange = (events: readonly DealEvent[]): DealEvent | undefined =>
  events.find(({ author }) => author !== SERVICE);

/**
 * The fields as they were before the latest change. @param at when that change was made
 * @throws PlatError `validation_error` if there was another change since
 */
export function changeUndone(events: readonly DealEvent[], at: string | null): object {
  const last = latestChange(events);
  if (last?.at !== at || last === undefined)
    throw new PlatError('validation_error', "The deal has changed in the meantime, so this can't be undone.");
  const { advice_dismissed_on: dismissed, ...changes } = last.changes;
  return {
    ...Object.fromEntries(
      Object.entries(changes)
        .filter(([field]) => OWN_FIELDS.includes(field))
        .map(([field, [was]]) => [field, was]),
    ),
    ...(dismissed && { advice_dismissed: dismissed[0] !== null }),
  };
}

type ChangedProps = {
  deal: Deal;
  events: readonly DealEvent[];
  undo: UndoablePrice | undefined;
  /** When the change that the page's URL refers to was made. */
  at: string | null;
};

/** A toast for the change that was just made, with a button to undo it. */
export function Changed({ deal, events, undo, at }: ChangedProps) {
  const last = latestChange(events);
  if (at === null || last?.at !== at) return null;
  const isPrice = undo !== undefined && undo.event.at === at;
  return (
    <Toast words={wordsOf(last, deal)}>
      <form method="post" action={`/deals/${deal.id}`}>
        <input type="hidden" name="at" value={at} />
        {isPrice ? (
          <Submit label={`Undo: back to ${money(undo.fields.price!)}`} does="undo" kind="second small" />
        ) : (
          <Submit label="Undo" does="undo_change" kind="second small" />
        )}
      </form>
    </Toast>
  );
}

function wordsOf({ changes, cause }: DealEvent, { price }: Deal): string {
  const { status, advice_held_until: held, advice_dismissed_on: dismissed } = changes;
  if (changes.price) {
    if (price === null) return 'List price removed';
    return `List price changed to ${usd(price)}${cause === 'advice taken' ? ', as advised' : ''}`;
  }
  if (status) return `Moved to ${STAGE_NAMES[status[1] as keyof typeof STAGE_NAMES]}`;
  if (held?.[1]) return `Holding the price until ${day(held[1])}`;
  if (dismissed?.[1]) return 'Advice dismissed';
  return held || dismissed ? 'Advice shown again' : 'Deal saved';
}
