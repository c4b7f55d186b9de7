import {
  DEAL_STAGES,
  dollars,
  FETCH_STATUSES,
  profitChange,
  toCents,
} from '../../../shared/deals/deal-terms.ts';
import { count, day, usd } from '../../../shared/model/figures.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Icon } from '../frame/icons.tsx';
import { Facts, Select, Submit } from '../frame/layout.tsx';
import { type BoardView, hasExpired, isHeld, type Lane, lotOf, nameOf, STAGE_NAMES } from './deals-board.ts';
import { estimatedCents, expectedCents, pricePath, soldForCents } from './deals-price.tsx';

/** A figure, or a dash if it is unknown. */
export const shown = (value: number | null): string => (value === null ? '–' : count(value));
export const shareOf = (share: number | null): string => (share === null ? '–' : `${share}%`);
/** Whether the listing reports views or saves. */
export const isInterestKnown = ({ views, saves }: Deal): boolean => views !== null || saves !== null;

/** The columns of the board. The client module moves cards and refreshes them. */
export function Board({ view }: { view: BoardView }) {
  return (
    <section id="board" class="scroll deals" data-version={view.version} tabindex={0} aria-label="Board">
      {view.lanes.map(lane => (
        <Column lane={lane} today={view.today} />
      ))}
    </section>
  );
}

function Column({ lane: { stage, deals, profitCents }, today }: { lane: Lane; today: string }) {
  return (
    <section class="lane" data-stage={stage} aria-labelledby={`lane-${stage}`}>
      <h2 id={`lane-${stage}`}>
        {STAGE_NAMES[stage]} <span class="count">{deals.length}</span>
      </h2>
      <p class="sum">
        {deals.length === 0 ? 'No deals' : `Profit ${profitCents === null ? '–' : dollars(profitCents)}`}
      </p>
      <ol class="plain">
        {deals.map(deal => (
          <Card deal={deal} today={today} />
        ))}
      </ol>
    </section>
  );
}

function Card({ deal, today }: { deal: Deal; today: string }) {
  const name = nameOf(deal);
  const { price_advantage: advantage, traction_score: interest, days_on_market: days } = deal;
  const standings = [
    advantage !== null && `cheaper per acre than ${shareOf(advantage)} of county listings`,
    interest !== null && isInterestKnown(deal) && `buyer interest ${interest}`,
    days !== null && `${count(days)} ${days === 1 ? 'day' : 'days'} on market`,
  ].filter(Boolean);
  return (
    <li class="card" id={`deal-${deal.id}`} data-id={deal.id} data-name={name} draggable={true}>
      <div class="head">
        <h3>
          <a href={`/deals/${deal.id}`}>{name}</a>
        </h3>
        <Letter grade={deal.listing_grade} />
      </div>
      <p class="place">{lotOf(deal)}</p>
      <Facts kind="figures" of={figuresOf(deal)} />
      {standings.length > 0 && <p class="place">{standings.join(' · ')}</p>}
      <ShortAdvice deal={deal} today={today} />
      {(deal.deal_type === 'double_close' || deal.contract_expiration_date !== null) && (
        <p class={hasExpired(deal, today) ? 'place bad' : 'place'}>
          {[
            deal.deal_type === 'double_close' ? 'Double close' : '',
            deal.contract_expiration_date &&
              `contract ${hasExpired(deal, today) ? 'expired' : 'expires'} ${day(deal.contract_expiration_date)}`,
          ]
            .filter(Boolean)
            .join(', ')}
        </p>
      )}
      <details>
        <summary aria-label={`Move or remove ${name}`}>Move</summary>
        <Move deal={deal} name={name} />
      </details>
    </li>
  );
}

/** The price and the profit. Before a price is known, those of the estimate. */
function figuresOf(deal: Deal): [string, string][] {
  const profit = expectedCents(deal);
  const profitText = profit === null ? '–' : dollars(profit);
  const estimate = estimatedCents(deal);
  if (soldForCents(deal) === null && estimate !== null)
    return [
      ['Estimated value', dollars(estimate)],
      ['Profit at estimate', profitText],
    ];
  return [
    ['List price', deal.price === null ? '–' : usd(deal.price)],
    ['Profit', profitText],
  ];
}

export function Letter({ grade }: { grade: string }) {
  if (grade === '') return null;
  return (
    <span class={`grade ${grade[0]}`} title="Listing grade">
      <span class="unseen">Grade </span>
      {grade.replace('-', '−')}
    </span>
  );
}

/** The advice in one line, or the status of the search for the listing. */
function ShortAdvice({ deal, today }: { deal: Deal; today: string }) {
  const { advice } = deal;
  if (advice === null) return <NoAdvice deal={deal} />;
  if (deal.advice_dismissed) return null;
  if (isHeld(deal, today))
    return <p class="advice">Holding the price until {day(deal.advice_held_until!)}.</p>;
  const { action, price } = advice;
  if (action === 'relist') return <p class="advice">Relist at the same price.</p>;
  if (price === null)
    return (
      <p class="advice" data-advice="hold">
        Hold the price.
      </p>
    );
  return (
    <p class="advice" data-advice={action}>
      {action === 'raise' ? 'Raise' : 'Drop'} to {dollars(toCents(price))}:{' '}
      {profitChange(toCents(advice.profit_now), toCents(advice.profit_then))}. <ChangePrice deal={deal} />
    </p>
  );
}

/** A link to the dialog that changes the price. The dialog starts with the advised price if there is one. */
export const ChangePrice = ({ deal, kind }: { deal: Deal; kind?: string }) => (
  <a class={kind} href={pricePath(deal.id, deal.advice?.price ?? undefined)} aria-haspopup="dialog">
    {kind && <Icon name="tag" />}
    Change price…
  </a>
);

/** Why there is no advice. */
export function NoAdvice({ deal }: { deal: Deal }) {
  const { fetch_status: state, status: stage, price, acreage } = deal;
  const isOffered = state === 'found' || (state === 'not_found' && acreage !== null);
  const work =
    state === 'waiting'
      ? 'Looking for the listing…'
      : isOffered && stage === 'listed' && price !== null && 'Preparing advice…';
  if (work)
    return (
      <p class="advice waiting" role="status">
        {work}
      </p>
    );
  if (state === 'found') return null;
  if (price === null && state === 'not_found')
    return (
      <p class="advice">
        Not listed yet: <a href={`/deals/${deal.id}#price`}>enter a list price</a>.
      </p>
    );
  return <p class="advice">No live listing: {FETCH_STATUSES[state]}.</p>;
}

function Move({ deal, name }: { deal: Deal; name: string }) {
  return (
    <form method="post" action="/deals" class="move">
      <input type="hidden" name="id" value={deal.id} />
      <Select
        name="status"
        id={undefined}
        aria-label={`Stage of ${name}`}
        options={[...DEAL_STAGES, '' as const].map(stage => [stage, STAGE_NAMES[stage]])}
        given={deal.status}
      />
      <Submit label="Move" does="move" kind="second small" />
      <Submit label="Move up" does="up" kind="quiet small" />
      <Submit label="Move down" does="down" kind="quiet small" />
      <Submit label="Remove" does="remove" kind="quiet small" />
    </form>
  );
}
