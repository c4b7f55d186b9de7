import { PlatError } from '../../../shared/base/errors.ts';
import { dollars, toCents } from '../../../shared/deals/deal-terms.ts';
import { usd } from '../../../shared/domain/figures.ts';
import type { DealEvent } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Facts, Submit } from '../frame/layout.tsx';
import { ChangePrice, NoAdvice } from './deals-cards.tsx';

const ACTIONS = { drop: 'drop the price', relist: 'relist it', hold: 'hold the price' };

const money = (decimal: string): string => dollars(toCents(decimal));

/**
 * What is advised, why, and what comes of it. Nothing here changes a price: that is asked for, and confirmed.
 */
export function Advice({ deal }: { deal: Deal }) {
  const { suggested_action: action, suggested_action_price: price, advice, figures } = deal;
  if (advice === null || action === '') return <NoAdvice deal={deal} />;
  const low = advice.valuation_counts ? (figures?.low_price ?? null) : null;
  return (
    <section class="notice recommended" aria-labelledby="advice">
      <h2 id="advice">Recommendation: {ACTIONS[action]}</h2>
      <p>{advice.text}</p>
      <Facts
        kind="key"
        of={[
          ['If you hold', `${money(advice.profit_now)} profit`],
          [
            `If you drop to ${price === null ? '' : money(price)}`,
            price === null ? null : `${money(advice.profit_then)} profit`,
          ],
          ['Low end of its estimated value', low === null ? null : usd(Number(low))],
        ]}
      />
      {action === 'drop' && (
        <p class="buttons">
          <ChangePrice deal={deal} kind="button second" />
        </p>
      )}
    </section>
  );
}

/** Asks before an advised price is set. */
export function ConfirmPrice({ deal }: { deal: Deal }) {
  const { id, price, suggested_action_price: advised, advice, figures } = deal;
  if (advice === null || advised === null || price === null) return null;
  const worth = advice.valuation_counts ? (figures?.mean_adjusted_price ?? null) : null;
  const below = (asked: number): string =>
    `${Math.round(100 * (1 - (100 * asked) / Number(toCents(worth!))))} %`;
  return (
    <section
      class="notice recommended"
      role="alertdialog"
      aria-labelledby="asked"
      aria-describedby="asked-of"
    >
      <h2 id="asked">Change the list price?</h2>
      <div id="asked-of">
        <Facts
          kind="key"
          of={[
            ['Now', usd(price)],
            ['New list price', money(advised)],
            ['Profit', `${money(advice.profit_now)} → ${money(advice.profit_then)}`],
            [
              'Below its estimated value',
              worth === null || price >= Number(worth) ? null : `${below(price)} → ${below(Number(advised))}`,
            ],
          ]}
        />
        <p>Only Plat's own figure changes: change it at the listing's site, too. It can be undone here.</p>
      </div>
      <form method="post" action={`/deals/${id}`} class="buttons">
        <input type="hidden" name="price" value={advised} />
        <a class="button second" href={`/deals/${id}`} autofocus>
          Keep {usd(price)}
        </a>
        <Submit label={`Change to ${money(advised)}`} does="take" />
      </form>
    </section>
  );
}

/**
 * What following the advice changes: a sale is expected for no more than is asked. @throws PlatError when it
 * is not the advice any more
 */
export function acceptAdvice(deal: Deal, confirmed: string | null): Record<string, string> {
  const { suggested_action_price: price, expected_sell_price: hoped } = deal;
  if (price === null || price !== confirmed)
    throw new PlatError('validation_error', 'The advice is another one by now: look at it again.');
  return { price, ...(hoped !== null && toCents(hoped) > toCents(price) && { expected_sell_price: price }) };
}

/** The state before the last advice was followed, as long as the price is still that one. */
export function undoFields(
  deal: Deal,
  events: readonly DealEvent[],
): Record<string, string | null> | undefined {
  const last = events.find(({ changes }) => changes.price !== undefined);
  const [was, taken] = last?.changes.price ?? [];
  if (last?.cause !== 'advice taken' || was == null || deal.price !== Number(taken)) return undefined;
  const hoped = last.changes.expected_sell_price;
  return { price: was, ...(hoped !== undefined && { expected_sell_price: hoped[0] }) };
}

export function Undo({ deal, undo }: { deal: Deal; undo: Record<string, string | null> }) {
  return (
    <form method="post" action={`/deals/${deal.id}`} class="notice info buttons">
      <span role="status">The list price is now {usd(deal.price!)}, as advised.</span>
      <Submit label={`Undo: back to ${money(undo.price!)}`} does="undo" kind="second" />
    </form>
  );
}
