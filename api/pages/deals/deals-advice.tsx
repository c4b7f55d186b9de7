import { type DealStage, dollars, profitSentence, toCents } from '../../../shared/deals/deal-terms.ts';
import { day } from '../../../shared/domain/figures.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { ChangePrice, NoAdvice } from './deals-cards.tsx';
import { lowestPrice, money, otherPrice, profitAt } from './deals-price.tsx';

export const ACTIONS = { drop: 'drop the price', relist: 'relist it', hold: 'hold the price' };

/** Of a listing that is on the market. */
const ADVISED_STAGE: DealStage = 'listed';

/**
 * What is advised, why, and what comes of it. Nothing here changes a price: that is asked for, and confirmed.
 */
export function Advice({ deal }: { deal: Deal }) {
  const { suggested_action: action, advice, figures, status } = deal;
  if (advice === null || action === '')
    return (
      <section class="card recommended" id="advice">
        <h2>Recommendation</h2>
        {status === ADVISED_STAGE ? (
          <NoAdvice deal={deal} />
        ) : (
          <p>There is one while the deal stands in Listed.</p>
        )}
      </section>
    );
  return (
    <section class="card recommended" id="advice" aria-labelledby="advice-title">
      <header>
        <h2 id="advice-title">
          <Icon name="info" large /> Recommendation: {ACTIONS[action]}
        </h2>
        {figures && <span class="badge">{day(figures.as_of)}</span>}
      </header>
      <p>{reasonsOf(advice)}</p>
      <Outcomes deal={deal} advice={advice} />
      <p class="buttons">
        <ChangePrice deal={deal} kind="button second" />
      </p>
    </section>
  );
}

/**
 * Why, without what the heading says, which stands before the first colon, and without the profits, which
 * stand below beside their prices.
 */
function reasonsOf({ text, profit_now, profit_then }: NonNullable<Deal['advice']>): string {
  const last = profitSentence(toCents(profit_now), toCents(profit_then));
  const told = text.endsWith(last) ? text.slice(0, -last.length).trim() : text;
  const reasons = told.slice(told.indexOf(': ') + 2);
  return reasons[0]!.toUpperCase() + reasons.slice(1);
}

type OutcomesProps = { deal: Deal; advice: NonNullable<Deal['advice']> };

function Outcomes({ deal, advice: { profit_now } }: OutcomesProps) {
  const other = otherPrice(deal);
  const lowest = lowestPrice(deal);
  const then = other === null ? null : profitAt(deal, other);
  const less = then === null ? 0n : toCents(profit_now) - then;
  return (
    <dl class="whatif">
      <div>
        <dt>If you hold</dt>
        <dd>
          {money(profit_now)} <small>profit</small>
        </dd>
      </div>
      {other !== null && then !== null && (
        <div>
          <dt>If you drop to {dollars(other)}</dt>
          <dd>
            {dollars(then)} <small>profit</small>
          </dd>
          {less > 0n && <dd class="change bad">{dollars(less)} less</dd>}
        </div>
      )}
      {lowest && (
        <div>
          <dt>Lowest that makes sense</dt>
          <dd>{dollars(lowest.cents)}</dd>
          <dd class="change">{lowest.why}</dd>
        </div>
      )}
    </dl>
  );
}
