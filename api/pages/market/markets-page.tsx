import { ACRE_BUCKETS, sizes } from '../../../shared/domain/buckets.ts';
import { count } from '../../../shared/domain/figures.ts';
import { METRIC_KEYS, type MetricKey } from '../../../shared/domain/market-stats.ts';
import { listMarkets, type SavedMarket } from '../../v1/market/saved-markets.ts';
import { Empty, Field, Grid, Select, type SortHead, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { amountsOf, boxOfCounties, mapHead, mapOf, valuesReply } from '../map/map-view.tsx';
import { change, DEFAULT_BUCKET, Legend, pathOf, shown, titleOf } from './market-page.tsx';
import { metricWords } from './market-words.ts';
import { type Column, sortHeads, sortRows } from './sort-table.ts';

type Row = {
  fips: string;
  name: string;
  state: string;
  listings: number;
  value: number | null;
  active: number;
  sold: number;
  str: number | null;
};

const DEFAULT_METRIC = 'Median Sold PPA';
const MAX_ROWS = 300;

function chosen(visit: Visit): { bucket: string; metric: MetricKey } {
  const { searchParams } = visit.url;
  const bucket =
    ACRE_BUCKETS.find(({ label }) => label === searchParams.get('bucket'))?.label ?? DEFAULT_BUCKET;
  const metric = METRIC_KEYS.find(key => key === searchParams.get('metric')) ?? DEFAULT_METRIC;
  return { bucket, metric };
}

function readValues(visit: Visit): Promise<Row[]> {
  const { bucket, metric } = chosen(visit);
  return visit.deps.resources.database.run<Row>('market/list_market_values', { bucket, metric });
}

const columnsOf = (metric: MetricKey): Column<Row>[] => [
  { key: 'value', label: metricWords(metric), value: row => row.value },
  { key: 'name', label: 'County', value: row => `${row.state} ${row.name}`, first: 'ascending' },
  { key: 'active', label: 'For sale', value: row => row.active },
  { key: 'sold', label: 'Sold, 1 year', value: row => row.sold },
  { key: 'str', label: 'Sell-through', value: row => row.str },
];

const marketsPage: Page = {
  path: '/markets',
  access: 'app',
  async get(visit) {
    const { bucket, metric } = chosen(visit);
    const sort = visit.url.searchParams.get('sort') ?? 'value';
    const [rows, saved] = await Promise.all([
      readValues(visit),
      callEndpoint<SavedMarket[]>(visit, listMarkets),
    ]);
    const columns = columnsOf(metric);
    const ordered = sortRows(rows, columns, sort);
    const body = (
      <div class="data">
        <section class="side" id="side" aria-label="Markets">
          <h1>Markets</h1>
          <Board saved={saved} />
          <h2>Counties with sales</h2>
          <form method="get" action="/markets" class="stack">
            <Field name="metric" label="Show">
              <Select
                name="metric"
                options={METRIC_KEYS.map(key => [key, metricWords(key)])}
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
            <div class="buttons">
              <button type="submit">Show</button>
            </div>
          </form>
          <Table
            rows={ordered.slice(0, MAX_ROWS)}
            metric={metric}
            heads={sortHeads(visit.url, columns, sort)}
          />
          {ordered.length > MAX_ROWS && (
            <p>
              The first {MAX_ROWS} of {count(ordered.length)}; the map has all.
            </p>
          )}
          <Legend />
        </section>
        {mapOf(visit, {
          values: `/markets/values.json${visit.url.search}`,
          opens: '/markets/',
          legend: `${metricWords(metric)}, ${sizes(bucket)}`,
          amounts: amountsOf(
            rows.map(({ value }) => value),
            value => shown(metric, value),
          ),
          start: boxOfCounties(rows),
        })}
      </div>
    );
    return { title: 'Markets', body, wide: true, head: mapHead(visit) };
  },
  post: async visit => {
    await change(visit);
    return { redirect: '/markets' };
  },
};

const marketValuesPage: Page = {
  path: '/markets/values.json',
  access: 'app',
  async get(visit) {
    const { metric } = chosen(visit);
    const rows = await readValues(visit);
    return valuesReply(
      rows.flatMap(({ value, ...county }) =>
        value === null ? [] : [{ ...county, value, shown: shown(metric, value) }],
      ),
    );
  },
};

function Table({ rows, metric, heads }: { rows: Row[]; metric: string; heads: SortHead[] }) {
  if (rows.length === 0) return <p>No county has sales of this lot size.</p>;
  const [value, name, ...others] = heads;
  return (
    <Grid
      name="Counties"
      heads={[name!, value!, ...others]}
      rows={rows.map(row => [
        <a href={`/markets/${row.fips}`}>
          {row.name}, {row.state}
        </a>,
        shown(metric, row.value),
        count(row.active),
        count(row.sold),
        shown('STR', row.str),
      ])}
    />
  );
}

/** The company's saved markets in columns by their status, in the order in which they were pinned. */
function Board({ saved }: { saved: SavedMarket[] }) {
  if (saved.length === 0)
    return (
      <Empty icon="bookmark" title="No saved markets yet">
        Open a county below and press “Save market”: your whole company sees it here.
      </Empty>
    );
  const columns = [...new Set(saved.map(({ status }) => status))];
  return (
    <div class="board">
      {columns.map(status => (
        <section>
          <h3>{status || 'No status'}</h3>
          <ul class="plain">
            {saved
              .filter(market => market.status === status)
              .map(({ id, region }) => (
                <li class="card">
                  <a href={pathOf(region)}>{titleOf(region)}</a>
                  <form method="post" action="/markets" class="buttons">
                    <input type="hidden" name="region_id" value={region.id} />
                    <input type="hidden" name="id" value={id} />
                    <input
                      name="status"
                      value={status}
                      aria-label={`Status of ${titleOf(region)}`}
                      list="statuses"
                      maxlength={64}
                    />
                    <Submit label="Move" kind="second" />
                    <Submit label="Remove" does="remove" kind="quiet" />
                  </form>
                </li>
              ))}
          </ul>
        </section>
      ))}
      <datalist id="statuses">
        {[...new Set([...columns, 'Backlog', 'Watching', 'Active'])].filter(Boolean).map(status => (
          <option value={status} />
        ))}
      </datalist>
    </div>
  );
}

export const marketsPages = [marketsPage, marketValuesPage];
