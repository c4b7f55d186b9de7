import type { VNode } from 'preact';
import { ACRE_BUCKETS, sizes } from '../../../shared/model/buckets.ts';
import { count } from '../../../shared/model/figures.ts';
import { type FigureKey, LEAST_SALES, METRICS } from '../../../shared/model/market-metrics.ts';
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
import { axisFigure, shown } from './market-words.ts';
import {
  columnsOf,
  type Question,
  questionOf,
  RANKED,
  type Row,
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
            <LinkButton to={`/markets/export.csv${visit.url.search}`} words="CSV" kind="second small" />
          </header>
          <Choice question={question} states={states} />
          <h2>Saved</h2>
          <Saved saved={saved} metric={metric} />
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
              The first {MAX_ROWS} of {count(ordered.length)}; the CSV file has all.
            </p>
          )}
          <Riddles metric={metric} />
        </section>
        {mapOf(visit, {
          values: `/markets/values.json${visit.url.search}`,
          opens: '/markets/',
          legend: {
            title: `${METRICS[metric].label}, ${sizes(bucket)}`,
            classes: classifyCounties(known, value => axisFigure(metric, value)),
            unknown:
              METRICS[metric].carrier === null ? 'no lots known' : `under ${LEAST_SALES} lots, or none known`,
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
    <nav class="seg" aria-label="What is ranked">
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

function placesIn({ type, state, county }: Question, rows: readonly Row[]): string {
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
  return `${words} with such lots${of ? ` in ${of}` : ''}`;
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
                `${count(sold)} sold in a year`,
                metric !== '1yr STR' && `${shown('1yr STR', str)} sell-through`,
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
        <Select name="metric" options={RANKED.map(key => [key, METRICS[key].label])} given={metric} />
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
      <button type="submit">Show</button>
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
  if (rows.length === 0) return <p>None has lots of this size.</p>;
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
    sold: ({ sold }) => count(sold),
    str: ({ str }) => (str === null ? '–' : <Rate percent={str} />),
  };
  // The name leads, as in every table; the figure that is ranked by follows.
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

/** Its bar ends at 100 %; the figure does not. */
const Rate = ({ percent }: { percent: number }) => (
  <span class="rate">
    <Meter percent={Math.min(100, percent)} />
    {shown('1yr STR', percent)}
  </span>
);

/** What makes people wonder, where they see it. */
const Riddles = ({ metric }: { metric: FigureKey }) => (
  <p>
    <small>
      Sold: in the last year. Sell-through: these in percent of those for sale now. Over 100 %, more were sold
      than are for sale.
      {metric === 'median_ppa_change_12mo' &&
        ` Change: the median price an acre of the last 12 months against that of the 12 before, each of at least ${LEAST_SALES} sales.`}
      {metric === 'months_of_supply' &&
        ' Months of supply: how long what is for sale would last at the pace of the last year.'}
      {metric === 'sale_to_list' &&
        ' Sale to list: the price paid in percent of the last asking price, where both are known.'}
      {METRICS[metric].unit === 'Gini, 0 to 100' &&
        ' Price spread: 0 where all lots cost the same an acre, 100 where one takes all.'}
      {METRICS[metric].unit === 'USD per acre' &&
        ' An acre of a small lot costs more than one of a large tract: compare one lot size.'}
      {METRICS[metric].carrier !== null &&
        ` Where fewer than ${LEAST_SALES} lots carry the figure there is none.`}
    </small>
  </p>
);

export const marketsPages = [marketsPage, marketValuesPage, marketsFile];
