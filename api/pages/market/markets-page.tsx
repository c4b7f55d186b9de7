import type { VNode } from 'preact';
import { ACRE_BUCKETS, sizes } from '../../../shared/model/buckets.ts';
import { isCountyFact } from '../../../shared/model/county-facts.ts';
import { count } from '../../../shared/model/figures.ts';
import { LEAST_SALES } from '../../../shared/model/market-metrics.ts';
import { csv } from '../../../shared/platform/to-csv.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { STATES } from '../../../shared/regions/states.ts';
import { readCoverage } from '../../v1/feeds/get-coverage.ts';
import { Field, Grid, LinkButton, Meter, Select } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { spreadsheet, type Visit, withParam } from '../frame/visit.ts';
import { classifyCounties } from '../parts/county-legend.tsx';
import { boxOfCounties, mapHead, mapOf, valuesReply } from '../parts/map-view.tsx';
import { NoParcels } from '../parts/no-parcels.tsx';
import { savedMarketActions } from './market-page.tsx';
import { axisFigure, type RankedKey, shown, wordsOf } from './market-words.ts';
import {
  columnsOf,
  type Question,
  questionOf,
  type Row,
  rankedKeys,
  readMarkets,
  readRows,
} from './ranked-markets.ts';
import { readSaved, Saved } from './saved-cards.tsx';
import { type Column, sortHeads, sortRows } from './sort-table.ts';

const MAX_ROWS = 300;

const marketsPage: Page = {
  path: '/markets',
  access: 'app',
  async get(visit) {
    const sort = visit.url.searchParams.get('sort') ?? 'value';
    const { question, counties, states, rows } = await readMarkets(visit);
    const { metric, bucket, type } = question;
    const [saved, unloaded] = await Promise.all([
      readSaved(visit, bucket, metric),
      rows.length === 0 ? findUnloaded(visit, question) : undefined,
    ]);
    const columns = columnsOf(question);
    const ordered = sortRows(rows, columns, sort);
    const known = counties.flatMap(({ value }) => value ?? []);
    const body = (
      <div class="data markets">
        <section class="side" id="side" aria-label="Markets">
          <header class="pagehead">
            <h1>Markets</h1>
            <LinkButton
              to={`/markets/export.csv${visit.url.search}`}
              words="Export CSV"
              kind="second small"
            />
          </header>
          <Choice question={question} states={states} />
          <h2>Saved markets</h2>
          <Saved saved={saved} metric={metric} bucket={bucket} />
          <RankedTypes visit={visit} type={type} />
          <p>
            <b>{count(rows.length)}</b> {placesIn(question, rows)}
          </p>
          {unloaded !== undefined && <NoParcels visit={visit} counties={[unloaded]} />}
          <Table
            rows={ordered.slice(0, MAX_ROWS)}
            question={question}
            columns={columns}
            heads={sortHeads(visit.url, columns, sort)}
          />
          {ordered.length > MAX_ROWS && (
            <p>
              Showing the first {MAX_ROWS} of {count(ordered.length)}. Export the CSV to get all of them.
            </p>
          )}
          <Explanations metric={metric} />
        </section>
        {mapOf(visit, {
          values: `/markets/values.json${visit.url.search}`,
          opens: '/markets/',
          legend: {
            title: [wordsOf(metric).label, !isCountyFact(metric) && sizes(bucket)].filter(Boolean).join(', '),
            classes: classifyCounties(known, value => axisFigure(metric, value)),
            unknown:
              wordsOf(metric).carrier === null ? 'no data' : `fewer than ${LEAST_SALES} lots or no data`,
          },
          start: boxOfCounties(counties.map(({ code }) => ({ fips: code }))),
        })}
      </div>
    );
    const assetNames = ['cards.css', 'results.css'];
    return { title: 'Markets', body, wide: true, assetNames, head: mapHead(visit) };
  },
  actions: savedMarketActions(({ pathname, search }) => pathname + search),
};

function RankedTypes({ visit, type }: { visit: Visit; type: Question['type'] }) {
  return (
    <nav class="seg" aria-label="Rank by">
      {(['county', 'zip'] as const).map(one => (
        <a
          href={withParam(visit.url, 'type', one === 'zip' ? one : undefined)}
          aria-current={one === type ? 'true' : undefined}
        >
          {one === 'zip' ? 'ZIP codes' : 'Counties'}
        </a>
      ))}
    </nav>
  );
}

async function findUnloaded(visit: Visit, { county }: Question): Promise<number | undefined> {
  const fips = Number(county);
  if (county === undefined || countyText(fips) === '') return undefined;
  const known = await readCoverage(visit.deps.db, fips);
  return known.length === 0 ? fips : undefined;
}

function placesIn({ metric, type, state, county }: Question, rows: readonly Row[]): string {
  const words =
    type === 'zip'
      ? rows.length === 1
        ? 'ZIP code'
        : 'ZIP codes'
      : rows.length === 1
        ? 'county'
        : 'counties';
  const of =
    county === undefined ? STATES.find(({ code }) => code === state)?.name : countyText(Number(county));
  return `${words}${isCountyFact(metric) ? '' : ' with lots of this size'}${of ? ` in ${of}` : ''}`;
}

const marketValuesPage: Page = {
  path: '/markets/values.json',
  access: 'app',
  async get(visit) {
    const question = questionOf(visit);
    const { metric } = question;
    const rows = await readRows(visit, question, { type: 'county' });
    const known = rows.flatMap(({ code, name, state, value, sold, str }) =>
      value === null
        ? []
        : [
            {
              fips: code,
              name,
              state,
              value,
              shown: [
                shown(metric, value),
                sold !== null && `${count(sold)} sold in the last year`,
                metric !== '1yr STR' && str !== null && `${shown('1yr STR', str)} sell-through`,
              ]
                .filter(Boolean)
                .join(' · '),
            },
          ],
    );
    return valuesReply(
      known,
      classifyCounties(
        known.map(({ value }) => value),
        String,
      ),
    );
  },
};

const marketsFile: Page = {
  path: '/markets/export.csv',
  access: 'app',
  async get(visit) {
    const { question, rows } = await readMarkets(visit);
    const { type, bucket, metric } = question;
    const ordered = sortRows(rows, columnsOf(question), visit.url.searchParams.get('sort') ?? 'value');
    const lines = ordered.map(({ code, name, state, county_name, value, sold, active, str }) => ({
      [type === 'zip' ? 'zip' : 'fips']: code,
      name: type === 'zip' ? county_name : name,
      state,
      bucket,
      [metric]: value,
      'Sold: 1yr': sold,
      Active: active,
      '1yr STR': str,
    }));
    const names = [
      type === 'zip' ? 'zip' : 'fips',
      'name',
      'state',
      'bucket',
      metric,
      'Sold: 1yr',
      'Active',
      '1yr STR',
    ];
    return spreadsheet(csv(lines, [...new Set(names)]), `plat-markets-${type}.csv`);
  },
};

type ChoiceProps = { question: Question; states: readonly string[] };

function Choice({ question: { metric, bucket, type, state, county }, states }: ChoiceProps) {
  const named = states.map((code): [string, string] => [
    code,
    STATES.find(one => one.code === code)?.name ?? code,
  ]);
  return (
    <form method="get" action="/markets" class="choice">
      <Field name="metric" label="Show">
        <Select
          name="metric"
          options={rankedKeys(type).map(key => [key, wordsOf(key).label])}
          given={metric}
        />
      </Field>
      <Field name="bucket" label="Lot size">
        <Select
          name="bucket"
          options={ACRE_BUCKETS.map(({ label }) => [label, sizes(label)])}
          given={bucket}
        />
      </Field>
      <Field name="state" label="State">
        <Select
          name="state"
          options={type === 'zip' && county === undefined ? named : [['', 'All states'], ...named]}
          given={state ?? ''}
        />
      </Field>
      {type === 'zip' && <input type="hidden" name="type" value="zip" />}
      <button type="submit">Update</button>
    </form>
  );
}

type TableProps = {
  rows: readonly Row[];
  question: Question;
  columns: readonly Column<Row>[];
  heads: ReturnType<typeof sortHeads>;
};

function Table({ rows, question: { metric, type }, columns, heads }: TableProps) {
  if (rows.length === 0) return <p>No {type === 'zip' ? 'ZIP code' : 'county'} has lots of this size.</p>;
  const cells: Record<string, (row: Row) => string | VNode> = {
    value: ({ value }) => shown(metric, value),
    name: row =>
      type === 'zip' ? (
        <a href={`/markets/zip/${row.code}`}>
          {row.code} <small>{row.county_name}</small>
        </a>
      ) : (
        <a href={`/markets/${row.code}`}>
          {row.name}, {row.state}
        </a>
      ),
    sold: ({ sold }) => (sold === null ? '–' : count(sold)),
    str: ({ str }) => (str === null ? '–' : <Rate percent={str} />),
  };
  // The name comes first, as in every table, then the ranked figure.
  const order = [1, 0, ...columns.map((_, i) => i).slice(2)];
  return (
    <Grid
      name={type === 'zip' ? 'ZIP codes' : 'Counties'}
      heads={['#', ...order.map(i => heads[i]!)]}
      rows={rows.map((row, place) => [
        row.value === null ? '–' : count(place + 1),
        ...order.map(i => cells[columns[i]!.key]!(row)),
      ])}
    />
  );
}

/** The bar ends at 100%, but the figure can be higher. */
const Rate = ({ percent }: { percent: number }) => (
  <span class="rate">
    <Meter percent={Math.min(100, percent)} />
    {shown('1yr STR', percent)}
  </span>
);

/** Explains the statistics on the page. */
const Explanations = ({ metric }: { metric: RankedKey }) => (
  <p>
    <small>
      Sold: sales in the last year. Sell-through: these sales as a percentage of lots for sale now. Above
      100%, more lots sold than are for sale.
      {isCountyFact(metric) && ` ${wordsOf(metric).label}: ${wordsOf(metric).meaning}.`}
      {metric === 'median_ppa_change_12mo' &&
        ` Change: the median price per acre in the last 12 months compared with the 12 months before. Each needs at least ${LEAST_SALES} sales.`}
      {metric === 'months_of_supply' &&
        " Months of supply: how long the lots for sale would last at last year's pace of sales."}
      {metric === 'sale_to_list' &&
        ' Sale to list price: the sale price as a percentage of the last list price, when both are known.'}
      {wordsOf(metric).unit === 'Gini, 0 to 100' &&
        ' Price variation: from 0 (all lots cost the same per acre) to 100.'}
      {wordsOf(metric).unit === 'USD per acre' &&
        ' Small lots cost more per acre, so compare markets at one lot size.'}
      {wordsOf(metric).carrier !== null &&
        ` Markets with fewer than ${LEAST_SALES} listings or sales behind this figure show no value.`}
    </small>
  </p>
);

export const marketsPages = [marketsPage, marketValuesPage, marketsFile];
