import { dayOf, isoDay, monthEnds } from '../../../shared/kernels/stats/calendar.ts';
import {
  FIGURE_KEYS,
  type FigureKey,
  LEAST_SALES,
  METRICS,
  type MetricKey,
  type MetricUnit,
} from '../../../shared/model/market-metrics.ts';
import { csv } from '../../../shared/platform/to-csv.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import { countyHistory, zipHistory } from '../../v1/market/get-market-history.ts';
import type { History } from '../../v1/market/read-history.ts';
import { callEndpoint, type Reply, spreadsheet, type Visit, withParam } from '../frame/visit.ts';
import { type Line, Lines, Spark } from './market-lines.tsx';
import { axisFigure, isMoney, isRate, shown } from './market-words.ts';

const YEARS = [1, 3, 10];
const USUAL_YEARS = 3;

export const yearsOf = ({ url }: Visit): number =>
  YEARS.find(years => String(years) === url.searchParams.get('years')) ?? USUAL_YEARS;

export async function readPast(
  visit: Visit,
  market: RegionStats,
  bucket: string,
  asOf: string,
): Promise<History> {
  const ends = monthEnds(dayOf(asOf), 12 * yearsOf(visit));
  const query = { bucket, from: isoDay(ends[0]!), to: isoDay(ends.at(-1)!) };
  return market.type === 'county'
    ? callEndpoint<History>(visit, countyHistory, { params: { fips: market.fips }, query })
    : callEndpoint<History>(visit, zipHistory, { params: { zip: market.name }, query });
}

const MONTHS = 12;

const CARDS: readonly [key: MetricKey, name: string][] = [
  ['Median Sold PPA', 'Median sold $/acre'],
  ['1yr STR', METRICS['1yr STR'].label],
  ['Median Price 1yr', 'Median sale price'],
  ['Active', METRICS.Active.label],
  ['Avg DOM 1yr', 'Days on market'],
];

/** The bucket's current figures, how they changed from a year ago, and the twelve months in between. */
export function Cards({
  market,
  bucket,
  past,
}: {
  market: RegionStats;
  bucket: string;
  past: History | null;
}) {
  const now = market.stats.find(({ type }) => type === bucket)!.data;
  const sold = now['Sold: 1yr'] ?? 0;
  return (
    <dl class="cards">
      {CARDS.map(([key, name]) => {
        const value = now[key] ?? null;
        const ofSales = METRICS[key].carrier !== null;
        const months = past?.keys[key]?.slice(-MONTHS) ?? [];
        const before = past?.dates.at(-MONTHS);
        const was = months[0] ?? null;
        const few = ofSales && (sold < LEAST_SALES || (before?.n ?? 0) < LEAST_SALES);
        const note =
          value === null
            ? ofSales
              ? 'Not reported'
              : 'None for sale'
            : few
              ? `${sold} ${sold === 1 ? 'sale' : 'sales'}, ${before?.n ?? 'an unknown number'} the year before: too few to compare`
              : changeOf(METRICS[key].unit, value, was);
        const isAbove100 = key === '1yr STR' && value !== null && value > 100;
        return (
          <div class="card stat">
            <dt>{name}</dt>
            <dd>{shown(key, value)}</dd>
            <dd class="note">{isAbove100 ? `${sold} sold, only ${now.Active} for sale now` : note}</dd>
            <dd class="note">
              <Spark values={[...months, value]} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function changeOf(unit: MetricUnit, value: number, was: number | null): string {
  if (was === null) return 'No data from a year ago';
  const by = value - was;
  if (isMoney(unit)) return was === 0 ? '' : `${signed(Math.round((100 * by) / was))}% in 12 months`;
  if (isRate(unit)) return `${signed(Math.round(by))} points in 12 months`;
  if (Math.round(by) === 0) return 'Same as a year ago';
  return `${Math.abs(Math.round(by))} ${by > 0 ? 'more' : 'fewer'} than a year ago`;
}

const signed = (value: number) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0');

export type OtherMarket = { name: string; past: History };

const lineOf = (name: string, past: History, key: FigureKey): Line => ({
  name,
  points: past.dates.map(({ as_of, n }, i) => ({ day: as_of, n, value: past.keys[key]![i]! })),
});

type PastProps = { visit: Visit; name: string; past: History; others: readonly OtherMarket[] };

export function Past({ visit, name, past, others }: PastProps) {
  const of = (key: FigureKey) => [
    lineOf(name, past, key),
    ...others.map(other => lineOf(other.name, other.past, key)),
  ];
  const chosen = yearsOf(visit);
  const index = past.keys.price_index!;
  return (
    <section aria-labelledby="past">
      <div class="pagehead">
        <h2 id="past">Month by month</h2>
        <nav class="seg" aria-label="Time range">
          {YEARS.map(years => (
            <a
              href={`${withParam(visit.url, 'years', String(years))}#past`}
              aria-current={years === chosen ? 'true' : undefined}
            >
              {years === 1 ? '1 year' : `${years} years`}
            </a>
          ))}
        </nav>
      </div>
      <div class="linegrid">
        <Lines
          title="Sold price per acre"
          note={`Median of the sales in the 12 months before each month's end. Dots have fewer than ${LEAST_SALES} sales.`}
          lines={of('Median Sold PPA')}
          shown={value => shown('Median Sold PPA', value)}
          short={value => axisFigure('Median Sold PPA', value)}
          least={LEAST_SALES}
        />
        <Lines
          title="Sold in 12 months"
          note="Lots of this size sold in the 12 months before each month's end."
          lines={of('Sold: 1yr')}
          shown={value => shown('Sold: 1yr', value)}
          short={value => axisFigure('Sold: 1yr', value)}
          least={0}
        />
        <Lines
          title="For sale"
          note="Available from the date that a listing feed was first loaded."
          lines={of('Active')}
          shown={value => shown('Active', value)}
          short={value => axisFigure('Active', value)}
          least={0}
        />
        {index.some(value => value !== null) && <PriceIndexLines name={name} past={past} />}
      </div>
    </section>
  );
}

function PriceIndexLines({ name, past }: Pick<PastProps, 'name' | 'past'>) {
  return (
    <Lines
      title="County price index"
      note="How the price of the same lot changes over time. The index is 100 on January 1, 2020, or when sales start. The band is the 80% range. Estimates adjust the dates of comps by the same curve."
      lines={[lineOf(name, past, 'price_index')]}
      band={{ low: past.keys.price_index_low!, high: past.keys.price_index_high! }}
      shown={value => (value === null ? '–' : value.toFixed(0))}
      short={value => axisFigure('price_index', value)}
      least={0}
    />
  );
}

export function pastFile(name: string, bucket: string, past: History): Reply {
  const rows = past.dates.map(({ as_of, kind, n }, i) => ({
    as_of,
    kind,
    n,
    bucket,
    ...Object.fromEntries(FIGURE_KEYS.map(key => [key, past.keys[key]![i]])),
  }));
  return spreadsheet(csv(rows, ['as_of', 'kind', 'n', 'bucket', ...FIGURE_KEYS]), `${name}.csv`);
}
