import { DEAL_STAGES, FETCH_STATUSES, toCents } from '../../shared/domain/deals.ts';
import type { Deal } from '../v1/deal-flow/deal.ts';
import { type BoardView, dollars, hasExpired, type Lane, lotOf, nameOf, STAGE_NAMES } from './deals-board.ts';
import { count, usd } from './figures.ts';
import { Facts, Select, Submit } from './layout.tsx';

/** A figure, or the dash of an unknown one. */
export const shown = (value: number | null): string => (value === null ? '–' : count(value));
const profitOf = ({ expected_profit }: Deal): string => dollars(toCents(expected_profit));

/** The columns of the board; the client module moves cards within it and fetches it anew. */
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
      <p class="sum">{deals.length === 0 ? 'No deals' : `Profit ${dollars(profitCents)}`}</p>
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
  const figures: [string, string][] = [
    ['Price', deal.price === null ? '–' : usd(deal.price)],
    ['Profit', profitOf(deal)],
    ['Advantage', shown(deal.price_advantage)],
    ['Traction', shown(deal.traction_score)],
    ['Days', shown(deal.days_on_market)],
  ];
  return (
    <li class="card" id={`deal-${deal.id}`} data-id={deal.id} data-name={name} draggable={true}>
      <div class="head">
        <h3>
          <a href={`/deals/${deal.id}`}>{name}</a>
        </h3>
        <Letter grade={deal.listing_grade} />
      </div>
      <p class="place">{lotOf(deal)}</p>
      <Facts kind="figures" of={figures} />
      <Advice deal={deal} />
      {(deal.deal_type === 'double_close' || deal.contract_expiration_date !== null) && (
        <p class={hasExpired(deal, today) ? 'place bad' : 'place'}>
          {[
            deal.deal_type === 'double_close' ? 'Double close' : '',
            deal.contract_expiration_date &&
              `contract ${hasExpired(deal, today) ? 'ended' : 'until'} ${deal.contract_expiration_date}`,
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

export function Letter({ grade }: { grade: string }) {
  if (grade === '') return null;
  return (
    <span class={`grade ${grade[0]}`} title="Grade of the listing">
      <span class="unseen">Grade </span>
      {grade}
    </span>
  );
}

/** What to do, with the one click that does it; or how far the search for the listing is. */
export function Advice({ deal }: { deal: Deal }) {
  const { suggested_action: action, suggested_action_price: price, fetch_status: status } = deal;
  if (status === 'waiting')
    return (
      <p class="advice waiting" role="status">
        Looking for its listing …
      </p>
    );
  if (status !== 'found') return <p class="advice">No live listing: {FETCH_STATUSES[status]}.</p>;
  if (action === 'drop')
    return (
      <form method="post" action="/deals" class="advice">
        <input type="hidden" name="id" value={deal.id} />
        <input type="hidden" name="price" value={price!} />
        <Submit label={`Drop to ${dollars(toCents(price!))}`} does="take" />
      </form>
    );
  if (action === 'relist') return <p class="advice">Relist it: it has been up long, at a good price.</p>;
  return action === 'hold' ? <p class="advice">Hold: nothing speaks for a change.</p> : null;
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
      <Submit label="Move" does="move" kind="second" />
      <Submit label="Up" does="up" kind="quiet" />
      <Submit label="Down" does="down" kind="quiet" />
      <Submit label="Remove" does="remove" kind="quiet" />
    </form>
  );
}
