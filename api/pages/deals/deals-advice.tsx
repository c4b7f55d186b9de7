import { type DealStage, dollars, profitSentence, toCents } from '../../../shared/deals/deal-terms.ts';
import { day, isoDate } from '../../../shared/model/figures.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { isHeld } from './deals-board.ts';
import { ChangePrice, NoAdvice } from './deals-cards.tsx';
import { lowestPrice, money, otherPrice, profitAt } from './deals-price.tsx';

export const ACTIONS = {
  raise: 'raise the price',
  drop: 'drop the price',
  relist: 'relist',
  hold: 'hold the price',
};

/** Only listed deals get advice. */
const ADVISED_STAGE: DealStage = 'listed';

const HOLD_DAYS = 30;
const DAY_MS = 86_400_000;

/** What a button in the advice changes in the deal. @throws PlatError `validation_error` */
export function answerAdvice(answer: string | null, now: Date): object {
  if (answer === 'hold')
    return {
      advice_held_until: isoDate(new Date(now.getTime() + HOLD_DAYS * DAY_MS)),
      advice_dismissed: false,
    };
  if (answer === 'dismiss') return { advice_dismissed: true };
  if (answer === 'show') return { advice_held_until: null, advice_dismissed: false };
  throw new PlatError('validation_error', 'Unknown form. Reload the page and try again.');
}

type AdviceProps = { deal: Deal; today: string };

/** The advice, its reasons, and its effect. Nothing here changes a price without confirmation. */
export function Advice({ deal, today }: AdviceProps) {
  const { advice, figures, status } = deal;
  const action = advice?.action ?? '';
  if (advice === null || action === '')
    return (
      <section class="card recommended" id="advice">
        <header>
          <h2>Advice</h2>
        </header>
        {status === ADVISED_STAGE ? (
          <NoAdvice deal={deal} />
        ) : (
          <p>Plat gives advice while the deal is in the Listed stage.</p>
        )}
      </section>
    );
  if (deal.advice_dismissed || isHeld(deal, today)) return <SetAside deal={deal} />;
  return (
    <section class="card recommended" id="advice" data-advice={action} aria-labelledby="advice-title">
      <header>
        <h2 id="advice-title">
          <Icon name="info" large /> Advice: {ACTIONS[action]}
        </h2>
        {figures && <span class="badge">{day(figures.as_of)}</span>}
      </header>
      <p>{reasonsOf(advice)}</p>
      <Outcomes deal={deal} advice={advice} />
      <form method="post" action={`/deals/${deal.id}`} class="buttons">
        <input type="hidden" name="do" value="advice" />
        <button type="submit" name="answer" value="hold" class="second">
          Hold for {HOLD_DAYS} days
        </button>
        <ChangePrice deal={deal} kind="button second" />
        <button type="submit" name="answer" value="dismiss" class="quiet">
          Dismiss
        </button>
      </form>
    </section>
  );
}

/** Advice that the user has put on hold or dismissed. */
function SetAside({ deal: { id, advice_dismissed, advice_held_until: until } }: { deal: Deal }) {
  return (
    <section class="card recommended" id="advice" data-advice={advice_dismissed ? 'dismissed' : 'held'}>
      <header>
        <h2>{advice_dismissed ? 'Advice dismissed' : `Holding the price until ${day(until!)}`}</h2>
      </header>
      <p>
        {advice_dismissed
          ? 'Plat will show advice again when its advice changes, or when you change the price or stage.'
          : "Plat won't show advice before that date, unless you change the price or stage."}
      </p>
      <form method="post" action={`/deals/${id}`} class="buttons">
        <input type="hidden" name="do" value="advice" />
        <button type="submit" name="answer" value="show" class="second">
          Show advice
        </button>
      </form>
    </section>
  );
}

/**
 * The reasons in the advice's text. Omits the part before the first colon, which is in the heading, and the
 * profits, which are shown below.
 */
function reasonsOf({ text, profit_now, profit_then }: NonNullable<Deal['advice']>): string {
  const last = profitSentence(toCents(profit_now), toCents(profit_then));
  const advised = text.endsWith(last) ? text.slice(0, -last.length).trim() : text;
  const reasons = advised.slice(advised.indexOf(': ') + 2);
  return reasons[0]!.toUpperCase() + reasons.slice(1);
}

type OutcomesProps = { deal: Deal; advice: NonNullable<Deal['advice']> };

function Outcomes({ deal, advice: { action, price, profit_now, profit_then } }: OutcomesProps) {
  const other = otherPrice(deal);
  const lowest = lowestPrice(deal);
  const then = other === null ? null : price === null ? profitAt(deal, other) : toCents(profit_then);
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
          <dt>
            If you {action === 'raise' ? 'raise' : 'drop'} to {dollars(other)}
          </dt>
          <dd>
            {dollars(then)} <small>profit</small>
          </dd>
          {less > 0n && <dd class="change bad">{dollars(less)} less</dd>}
          {less < 0n && <dd class="change good">{dollars(-less)} more</dd>}
        </div>
      )}
      {lowest && (
        <div>
          <dt>Lowest sensible price</dt>
          <dd>{dollars(lowest.cents)}</dd>
          <dd class="change">{lowest.why}</dd>
        </div>
      )}
    </dl>
  );
}
