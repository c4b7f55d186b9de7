import { day, moment, usd } from '../../../shared/model/figures.ts';
import type { DealEvent } from '../../v1/deals/deal-history.ts';
import type { Deal } from '../../v1/deals/deal-schema.ts';
import { Panel, Submit, Text } from '../frame/layout.tsx';
import { ACTIONS } from './deals-advice.tsx';
import { STAGE_NAMES } from './deals-board.ts';
import { LISTING_STATES } from './deals-figures.tsx';
import { money, SERVICE, type UndoablePrice } from './deals-price.tsx';

const WIDTH = 640;
const HEIGHT = 120;
const FRAME = { left: 60, right: 10, top: 10, bottom: 22 };

const SCORES = [
  ['Cheaper per acre than (% of county listings)', 'price_advantage'],
  ['Buyer interest', 'traction_score'],
] as const;

type Point = { at: number; value: number };

type HistoryProps = {
  events: DealEvent[];
  isInterestKnown: boolean;
  undo: UndoablePrice | undefined;
  now: Date;
};

/** A deal's changes, latest first, with charts of its price, rank, and interest. */
export function History({ events, isInterestKnown, undo, now }: HistoryProps) {
  const ascending = events.toReversed();
  const pointsOf = (name: 'price' | 'price_advantage' | 'traction_score'): Point[] =>
    ascending.flatMap(event => {
      const value = event[name];
      return value === null ? [] : [{ at: Date.parse(event.at), value }];
    });
  const span: [number, number] = [Date.parse(ascending[0]!.at), now.getTime()];
  const price = pointsOf('price');
  const top = Math.max(1, ...price.map(({ value }) => value));
  return (
    <Panel id="history" title="History">
      <ol class="timeline">
        {events.map(event => (
          <Happening
            event={event}
            isInterestKnown={isInterestKnown}
            undo={undo?.event === event ? undo : undefined}
          />
        ))}
      </ol>
      {price.length > 1 && (
        <details>
          <summary>Price, rank, and interest over time</summary>
          <div class="deal-charts">
            <Steps title="List price" points={price} span={span} top={1.1 * top} shown={usd} />
            {SCORES.filter(([, name]) => isInterestKnown || name !== 'traction_score').map(
              ([title, name]) => (
                <Steps title={title} points={pointsOf(name)} span={span} top={100} shown={String} />
              ),
            )}
          </div>
        </details>
      )}
    </Panel>
  );
}

type HappeningProps = { event: DealEvent; isInterestKnown: boolean; undo: UndoablePrice | undefined };

function Happening({ event, isInterestKnown, undo }: HappeningProps) {
  const { at, author, cause, changes } = event;
  const lines = Object.entries(changes)
    // Skip fields that start out empty.
    .filter(
      ([field, [before, after]]) =>
        before !== null || (after !== '' && after !== null && field !== 'listing_grade'),
    )
    // The score is 0 while views and saves are not reported.
    .filter(([field, [, after]]) => isInterestKnown || field !== 'traction_score' || after !== '0')
    .flatMap(([field, [before, after]]) => describe(field, before, after) ?? []);
  return (
    <li>
      <div>
        <b>{titleOf(cause, changes)}</b>
        <p>{[author === SERVICE ? '' : author, ...lines].filter(Boolean).join(' · ')}</p>
        {undo && (
          <form method="post">
            <Submit label={`Undo: back to ${money(undo.fields.price!)}`} does="undo" kind="second" />
          </form>
        )}
      </div>
      <time datetime={at}>{moment(at)}</time>
    </li>
  );
}

/** The most important change: the stage, the grade, or the price. */
function titleOf(cause: string, changes: DealEvent['changes']): string {
  const [, grade] = changes.listing_grade ?? [];
  const [, price] = changes.price ?? [];
  const [, stage] = changes.status ?? [];
  if (cause === 'added') return 'Deal added';
  if (stage != null) return `Moved to ${STAGE_NAMES[stage as keyof typeof STAGE_NAMES]}`;
  if (grade) return `Graded ${grade.replace('-', '−')}`;
  if (price != null) return `List price ${money(price)}${cause === 'advice taken' ? ', as advised' : ''}`;
  const { advice_held_until: held, advice_dismissed_on: dismissed } = changes;
  if (held?.[1]) return `Price held until ${day(held[1])}`;
  if (dismissed?.[1]) return 'Advice dismissed';
  if (cause === 'edited') return 'Edited';
  return cause === 'market' ? 'Compared with county listings' : 'Checked for listing';
}

type StepsProps = {
  title: string;
  points: Point[];
  span: [number, number];
  top: number;
  shown(value: number): string;
};

/** A step chart. */
function Steps({ title, points, span: [from, to], top, shown }: StepsProps) {
  if (points.length === 0) return null;
  const floor = HEIGHT - FRAME.bottom;
  const x = (at: number) =>
    FRAME.left + ((WIDTH - FRAME.left - FRAME.right) * (at - from)) / Math.max(1, to - from);
  const y = (value: number) => floor - ((floor - FRAME.top) * value) / top;
  const [first, last] = [points[0]!, points.at(-1)!];
  const line = points.map(({ at, value }) => `H${x(at).toFixed(1)}V${y(value).toFixed(1)}`).join('');
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: from ${shown(first.value)} on ${day(new Date(first.at))} to ${shown(last.value)} now. The list above has every change`}
      >
        {[0, top / 2, top].map(value => (
          <>
            <path d={`M${FRAME.left} ${y(value)}H${WIDTH - FRAME.right}`} class="grid" />
            <Text x={FRAME.left - 6} y={y(value) + 4} anchor="end" words={shown(Math.round(value))} />
          </>
        ))}
        <path d={`M${x(first.at)} ${y(first.value)}${line}H${x(to)}`} class="line" />
        {points.map(({ at, value }) => (
          <circle cx={x(at)} cy={y(value)} r="3">
            <title>{`${moment(new Date(at))}: ${shown(value)}`}</title>
          </circle>
        ))}
        <Text x={FRAME.left} y={HEIGHT - 6} anchor="start" words={day(new Date(from))} />
        <Text x={WIDTH - FRAME.right} y={HEIGHT - 6} anchor="end" words={day(new Date(to))} />
      </svg>
    </figure>
  );
}

const NAMES: Record<string, string> = {
  status: 'Stage',
  deal_type: 'Type',
  price: 'List price',
  misc_costs: 'Other costs',
  expected_sell_price: 'Expected sale price',
  fetch_status: 'Listing',
  listing_grade: 'Grade',
  price_advantage: 'Cheaper per acre than',
  traction_score: 'Buyer interest',
  suggested_action: 'Advice',
  suggested_action_price: 'Advised price',
  contract_expiration_date: 'Contract expires',
  closing_date: 'Closing date',
};

const AMOUNTS = /price$|fee$|costs$/;

/** "List price $34,900 → $31,900", or undefined for an intermediate step. */
function describe(field: string, before: string | null, after: string | null): string | undefined {
  if (field.startsWith('suggested_action') && !after) return undefined;
  if (field === 'fetch_status' && after === 'waiting') return undefined;
  // The heading shows advice that was put on hold or dismissed.
  if (/^advice_(held|dismissed)/.test(field)) return after === null ? 'Advice shown again' : undefined;
  const word = (value: string | null): string => {
    if (value === null || value === '') return 'none';
    if (field === 'status') return STAGE_NAMES[value as keyof typeof STAGE_NAMES];
    if (field === 'price_advantage') return `${value}%`;
    if (field === 'fetch_status') return LISTING_STATES[value as Deal['fetch_status']].toLowerCase();
    if (field === 'suggested_action') return ACTIONS[value as keyof typeof ACTIONS];
    if (field.endsWith('_date')) return day(value);
    return AMOUNTS.test(field) ? money(value) : value.replaceAll('_', ' ').replace(/-$/, '−');
  };
  const plain = field.replaceAll('_', ' ');
  const name = NAMES[field] ?? plain[0]!.toUpperCase() + plain.slice(1);
  return before === null || before === '' || before === 'waiting'
    ? `${name} ${word(after)}`
    : `${name} ${word(before)} → ${word(after)}`;
}
