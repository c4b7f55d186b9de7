import { ACRE_BUCKETS, sizes } from '../../../shared/domain/buckets.ts';
import { acres, count, percent, usd } from '../../../shared/domain/figures.ts';
import { METRIC_KEYS, type MetricKey } from '../../../shared/domain/market-stats.ts';
import { notFound } from '../../http/error-responses.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import { readCoverage } from '../../v1/feeds/get-coverage.ts';
import { countyStats, zipStats } from '../../v1/market/get-market-stats.ts';
import { deleteMarket, listMarkets, type SavedMarket, saveMarket } from '../../v1/market/saved-markets.ts';
import { Back, Grid, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit, withParam } from '../frame/visit.ts';
import { metricWords } from './market-words.ts';
import { type Column, sortHeads, sortRows } from './sort-table.ts';

type Data = Record<string, number | null>;
export const DEFAULT_BUCKET = '0.2 acre-100 acre';

/** A statistic as people read it, by what its name says it is. */
export function shown(metric: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (/STR|sale_to_list|change/.test(metric)) return percent(value);
  if (/Gini|months/.test(metric)) return value.toFixed(1);
  if (/Price|PPA/.test(metric)) return usd(value);
  if (/Acreage/.test(metric)) return acres(value);
  return count(value);
}

/** Saves a market, moves it to another column of the board, or removes it. */
export async function change(visit: Visit): Promise<void> {
  const { form } = visit;
  const id = form.get('id') ?? '';
  if (form.get('do') === 'remove') {
    await callEndpoint(visit, deleteMarket, { params: { id } });
    return;
  }
  const status = (form.get('status') ?? '').trim();
  await callEndpoint(visit, saveMarket, { body: { region_id: form.get('region_id') ?? '', status } });
}

type Region = Pick<RegionStats, 'type' | 'name' | 'state' | 'county_name' | 'fips'>;
export const titleOf = ({ type, name, state, county_name }: Region) =>
  type === 'zip' ? `${name} (${county_name}, ${state})` : `${name}, ${state}`;
export const pathOf = ({ type, name, fips }: Region) =>
  type === 'zip' ? `/markets/zip/${name}` : `/markets/${fips}`;

const marketPage: Page = {
  path: '/markets/:fips',
  access: 'app',
  get: visit =>
    show(visit, () =>
      callEndpoint<RegionStats>(visit, countyStats, { params: { fips: code(visit, 'fips') } }),
    ),
  post: async visit => {
    await change(visit);
    return { redirect: visit.url.pathname };
  },
};

const zipMarketPage: Page = {
  path: '/markets/zip/:zip',
  access: 'app',
  get: visit =>
    show(visit, () => callEndpoint<RegionStats>(visit, zipStats, { params: { zip: code(visit, 'zip') } })),
  post: marketPage.post!,
};

function code(visit: Visit, name: string): string {
  const text = String(visit.req.params[name]);
  if (!/^\d{4,5}$/.test(text)) throw notFound('A market is a county by its FIPS code, or a ZIP code.');
  return text;
}

async function show(visit: Visit, read: () => Promise<RegionStats>): Promise<Reply> {
  const [market, saved] = await Promise.all([read(), callEndpoint<SavedMarket[]>(visit, listMarkets)]);
  const savedMarket = saved.find(({ region }) => region.id === market.id);
  const requested = visit.url.searchParams.get('bucket');
  const bucket =
    market.stats.find(({ type }) => type === requested) ??
    market.stats.find(({ type }) => type === DEFAULT_BUCKET) ??
    market.stats[0];
  // Coverage says why a county has no comps; a ZIP code has no county of its own.
  const hasSold = market.stats.some(({ data }) => data['Sold: 1yr']);
  const [county] =
    hasSold || market.type === 'zip'
      ? []
      : await readCoverage(visit.deps.resources.database, Number(market.fips));
  const body = (
    <>
      <Back to="/markets" words="‹ Markets" />
      <h1>{titleOf(market)}</h1>
      <form method="post" class="buttons">
        <input type="hidden" name="region_id" value={market.id} />
        <input type="hidden" name="id" value={savedMarket?.id ?? ''} />
        <label for="status">Status</label>
        <input
          id="status"
          name="status"
          value={savedMarket?.status ?? 'Watching'}
          maxlength={64}
          class="short"
        />
        <button type="submit">{savedMarket ? 'Change status' : 'Save market'}</button>
        {savedMarket && <Submit label="Remove" does="remove" kind="danger" />}
      </form>
      {county?.no_comps && <p class="notice">{county.no_comps.message}</p>}
      {bucket === undefined ? (
        <p class="notice">There are no listings here.</p>
      ) : (
        <>
          <h2>Lots of {sizes(bucket.type)}</h2>
          {!bucket.data['Sold: 1yr'] && <p>None of them was sold in the last year.</p>}
          <div class="charts">
            <Windows title="Sold" data={bucket.data} rows={['Sold: $']} />
            <Windows title="Sell-through" data={bucket.data} rows={['$ STR']} />
            <Windows title="Median price" data={bucket.data} rows={['Median Price $']} />
            <Windows
              title="Lowest – highest $ / acre"
              data={bucket.data}
              rows={['PPA Range $ Min', 'PPA Range $ Max']}
            />
            <Windows title="Days on market" data={bucket.data} rows={['Avg DOM $']} />
            <Windows title="Price spread (even – wide)" data={bucket.data} rows={['Gini $']} />
          </div>
          <h2>All lot sizes</h2>
          <Buckets market={market} open={bucket.type} url={visit.url} />
          <Legend />
        </>
      )}
      {market.type === 'county' && (
        <p class="buttons">
          <a class="button second" href={`/data?county=${market.fips}`}>
            Show parcels on map
          </a>
          <a class="button second" href={`/markets?type=zip&county=${market.fips}`}>
            ZIP codes
          </a>
          <a class="button second" href={`/coverage/${market.fips}`}>
            How good the data are
          </a>
        </p>
      )}
    </>
  );
  return { title: titleOf(market), body };
}

const WINDOWS = ['1mo', '3mo', '6mo', '1yr'];

/**
 * A statistic over the windows as columns, from the first row's figure or 0 to the last row's, above the
 * table they are drawn from.
 */
function Windows({ title, data, rows }: { title: string; data: Data; rows: string[] }) {
  const figures = rows.map(row => WINDOWS.map(window => data[row.replace('$', window)] ?? null));
  const highs = figures.at(-1)!;
  if (highs.every(value => !value)) return null;
  const most = Math.max(...highs.map(value => value ?? 0), 1e-9);
  const at = (value: number | null | undefined) => (48 * (value ?? 0)) / most;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox="0 0 200 50" preserveAspectRatio="none" aria-hidden="true">
        {highs.map((high, i) => {
          const low = rows.length > 1 ? figures[0]![i] : 0;
          // A range of one figure is still to be seen.
          const height = high === null ? 0 : Math.max(at(high) - at(low), rows.length > 1 ? 1 : 0);
          return <rect x={i * 50 + 10} y={50 - at(high)} width="30" height={height} />;
        })}
      </svg>
      <table>
        <thead>
          <tr>
            {WINDOWS.map(window => (
              <th scope="col">{window.replace('mo', ' mo').replace('yr', ' yr')}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {figures.map((values, row) => (
            <tr>
              {values.map(value => (
                <td>{shown(rows[row]!, value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** What the names of the statistics stand for. */
export const Legend = () => (
  <p>
    <small>
      Sell-through: sales of a time in percent of the lots for sale. Price spread: how unlike the prices per
      acre are, from 0, all the same, to 100 (the Gini coefficient).
    </small>
  </p>
);

/** The statistics that tell most of a market. */
export const COLUMNS: readonly MetricKey[] = [
  'Active',
  'Pending',
  'Sold: 1yr',
  '1yr STR',
  'Avg DOM 1yr',
  'Median Price 1yr',
  'Median Sold PPA',
  'Median Active PPA',
  'Gini 1yr',
];

type Bucket = RegionStats['stats'][number];

const SORTS: readonly Column<Bucket>[] = [
  { key: 'size', label: 'Lot size', value: ({ type }) => sizeOrder(type), first: 'ascending' },
  ...COLUMNS.map(key => ({ key, label: metricWords(key), value: ({ data }: Bucket) => data[key] ?? null })),
];

/** By the least acreage of a bucket, and of those that begin alike by the most. */
function sizeOrder(type: string): number {
  const { minAcres, maxAcres } = ACRE_BUCKETS.find(({ label }) => label === type)!;
  return minAcres * 1e6 + maxAcres;
}

function Buckets({ market, open, url }: { market: RegionStats; open: string; url: URL }) {
  const sort = url.searchParams.get('sort') ?? 'size';
  return (
    <>
      <Grid
        name="Lot sizes"
        heads={sortHeads(url, SORTS, sort)}
        rows={sortRows(market.stats, SORTS, sort).map(({ type, data }) => [
          type === open ? <b>{sizes(type)}</b> : <a href={withParam(url, 'bucket', type)}>{sizes(type)}</a>,
          ...COLUMNS.map(key => shown(key, data[key])),
        ])}
      />
      <details>
        <summary>
          All {METRIC_KEYS.length} statistics of {sizes(open)}
        </summary>
        <Grid
          name={`Statistics of ${sizes(open)}`}
          heads={['Statistic', 'Figure']}
          rows={METRIC_KEYS.map(key => [
            metricWords(key),
            shown(key, market.stats.find(({ type }) => type === open)?.data[key]),
          ])}
        />
      </details>
    </>
  );
}

export const marketPages = [zipMarketPage, marketPage];
