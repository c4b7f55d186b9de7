import { dollars, toCents } from '../../../shared/deals/deal-terms.ts';
import { day, moment, usd } from '../../../shared/domain/figures.ts';
import type { DealEvent } from '../../v1/deals/deal-history.ts';
import { Grid, Text } from '../frame/layout.tsx';
import { STAGE_NAMES } from './deals-board.ts';

const WIDTH = 640;
const HEIGHT = 120;
const FRAME = { left: 60, right: 10, top: 10, bottom: 22 };

type Point = { at: number; value: number };

/** What happened to a deal: price, advantage and traction over time, and the table that tells it all. */
export function History({ events, now }: { events: DealEvent[]; now: Date }) {
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
    <>
      <h2>History</h2>
      {price.length > 0 && (
        <div class="deal-charts">
          <Steps title="Price" points={price} span={span} top={1.1 * top} shown={usd} />
          <Steps
            title="Cheaper than, %"
            points={pointsOf('price_advantage')}
            span={span}
            top={100}
            shown={String}
          />
          <Steps
            title="Buyer interest"
            points={pointsOf('traction_score')}
            span={span}
            top={100}
            shown={String}
          />
        </div>
      )}
      <Grid
        name="History"
        heads={['When', 'Who', 'Why', 'What']}
        rows={events.map(({ at, author, cause, changes }) => [
          moment(at),
          author,
          cause,
          Object.entries(changes)
            // An empty beginning is no news.
            .filter(([, [before, after]]) => before !== null || after !== '')
            .map(([field, [before, after]]) => describe(field, before, after))
            .join('; '),
        ])}
      />
    </>
  );
}

type StepsProps = {
  title: string;
  points: Point[];
  span: [number, number];
  top: number;
  shown(value: number): string;
};

/** A value that holds until it changes. */
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
        aria-label={`${title}: from ${shown(first.value)} on ${day(new Date(first.at))} to ${shown(last.value)} now; the table has every change`}
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

const AMOUNTS = /price$|fee$|costs$/;

function describe(field: string, before: string | null, after: string | null): string {
  const word = (value: string | null): string => {
    if (value === null || value === '') return 'none';
    if (field === 'status') return STAGE_NAMES[value as keyof typeof STAGE_NAMES];
    return AMOUNTS.test(field) ? dollars(toCents(value)) : value.replaceAll('_', ' ');
  };
  const name = field.replaceAll('_', ' ');
  return before === null ? `${name} ${word(after)}` : `${name} ${word(before)} → ${word(after)}`;
}
