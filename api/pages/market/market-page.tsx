import type { VNode } from 'preact';
import { ACRE_BUCKETS, NARROW_BUCKETS, sizes } from '../../../shared/model/buckets.ts';
import { count, day } from '../../../shared/model/figures.ts';
import { LEAST_SALES, METRIC_KEYS, METRICS } from '../../../shared/model/market-metrics.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { notFound } from '../../http/error-responses.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import { countyStats, zipStats } from '../../v1/market/get-market-stats.ts';
import { deleteMarket, listMarkets, type SavedMarket, saveMarket } from '../../v1/market/saved-markets.ts';
import { Back, Grid, LinkButton, Meter, Notice, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit, withParam } from '../frame/visit.ts';
import { countyOf } from '../parts/county-filter.ts';
import { NoParcels } from '../parts/no-parcels.tsx';
import { Compared, readOthers } from './market-compared.tsx';
import { findGap } from './market-gap.ts';
import { Cards, Past, pastFile, readPast } from './market-past.tsx';
import { COLUMNS, lineNameOf, shown, titleOf } from './market-words.ts';
import { type Column, sortHeads, sortRows } from './sort-table.ts';

const DEFAULT_BUCKET = '0.2 acre-100 acre';

export const savedMarketActions = (pathAfter: (url: URL) => string): Page['actions'] => ({
  async remove(visit) {
    await callEndpoint(visit, deleteMarket, { params: { id: visit.form.get('id') ?? '' } });
    return { redirect: pathAfter(visit.url) };
  },
  /** Saves a market or changes its status. */
  async default(visit) {
    const region_id = visit.form.get('region_id') ?? '';
    const status = (visit.form.get('status') ?? '').trim();
    await callEndpoint(visit, saveMarket, { body: { region_id, status } });
    return { redirect: pathAfter(visit.url) };
  },
});

const actions = savedMarketActions(({ pathname }) => pathname);

const marketPage: Page = {
  path: '/markets/:fips',
  access: 'app',
  get: visit =>
    show(visit, () =>
      callEndpoint<RegionStats>(visit, countyStats, { params: { fips: code(visit, 'fips') } }),
    ),
  actions,
};

const zipMarketPage: Page = {
  path: '/markets/zip/:zip',
  access: 'app',
  get: visit =>
    show(visit, () => callEndpoint<RegionStats>(visit, zipStats, { params: { zip: code(visit, 'zip') } })),
  actions,
};

function code(visit: Visit, name: string): string {
  const text = String(visit.req.params[name]);
  if (!/^\d{4,5}$/.test(text)) throw notFound('Market not found. Use a county FIPS code or a ZIP code.');
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
  const gap = await findGap(visit, market);
  const asOf = market.as_of;
  const past = bucket && asOf ? await readPast(visit, market, bucket.type, asOf) : null;
  if (bucket && past && visit.url.searchParams.get('format') === 'csv')
    return pastFile(titleOf(market), bucket.type, past);
  const compared = bucket && asOf ? await readOthers(visit, bucket.type, asOf) : null;
  const countyLink = market.type === 'zip' && linkToCounty(market);
  const body = (
    <>
      <Back to="/markets" words="‹ Markets" />
      <h1>{titleOf(market)}</h1>
      {bucket && asOf ? (
        <p class="soft">
          {countyLink && <>In {countyLink} · </>}
          Lots of {sizes(bucket.type)} · as of {day(asOf)} · {count(bucket.listings)} sales and listings on
          file
        </p>
      ) : (
        countyLink && <p class="soft">In {countyLink}</p>
      )}
      <SaveForm market={market} saved={savedMarket} />
      {gap && !gap.isLoaded ? (
        <NoParcels visit={visit} counties={[gap.fips]} />
      ) : (
        gap?.message && <Notice>{gap.message}</Notice>
      )}
      {bucket === undefined ? (
        gap?.isLoaded !== false && <Notice>No sales or listings on file for this market.</Notice>
      ) : (
        <>
          <Cards market={market} bucket={bucket.type} past={past} />
          <Buckets market={market} open={bucket.type} url={visit.url} />
          {past && compared && (
            <>
              <Past visit={visit} name={lineNameOf(market)} past={past} others={compared.others} />
              <Compared visit={visit} market={market} bucket={bucket.type} found={compared} />
            </>
          )}
        </>
      )}
      <Links
        visit={visit}
        market={market}
        bucket={bucket}
        hasPast={past !== null}
        isLoaded={gap?.isLoaded !== false}
      />
    </>
  );
  return { title: titleOf(market), body, assetNames: ['cards.css', 'market.css'] };
}

function SaveForm({ market, saved }: { market: RegionStats; saved: SavedMarket | undefined }) {
  return (
    <form method="post" class="buttons">
      <input type="hidden" name="region_id" value={market.id} />
      <input type="hidden" name="id" value={saved?.id ?? ''} />
      <label for="status">Status</label>
      <input id="status" name="status" value={saved?.status ?? 'Watching'} maxlength={64} class="short" />
      <button type="submit">{saved ? 'Change status' : 'Save market'}</button>
      {saved && <Submit label="Remove market" does="remove" kind="danger" />}
    </form>
  );
}

type LinksProps = {
  visit: Visit;
  market: RegionStats;
  bucket: RegionStats['stats'][number] | undefined;
  hasPast: boolean;
  isLoaded: boolean;
};

function Links({ visit, market, bucket, hasPast, isLoaded }: LinksProps) {
  return (
    <p class="buttons">
      {bucket && (
        <a
          class="button second"
          href={`/exports?market=${market.type}:${String(visit.req.params.zip ?? market.fips)}`}
        >
          Export statistics or sales
        </a>
      )}
      {hasPast && (
        <LinkButton to={withParam(visit.url, 'format', 'csv')} words="Export monthly CSV" kind="second" />
      )}
      {market.type === 'county' && isLoaded && (
        <>
          <LinkButton to={`/data?county=${market.fips}`} words="Show parcels on map" kind="second" />
          {bucket && (
            <LinkButton to={`/markets?type=zip&county=${market.fips}`} words="Show ZIP codes" kind="second" />
          )}
          <LinkButton to={`/coverage/${market.fips}`} words="Data quality" kind="second" />
        </>
      )}
    </p>
  );
}

/** A ZIP code's county, which is known only by name. */
function linkToCounty({ county_name, state }: RegionStats): VNode | string {
  const name = `${county_name}, ${state}`;
  const fips = countyOf(name, new Set());
  return typeof fips === 'number' ? <a href={`/markets/${fiveDigits(fips)}`}>{name}</a> : name;
}

export const Legend = () => (
  <p>
    <small>
      Sell-through: sales in the period as a percentage of lots for sale now. Above 100%, more lots sold than
      are for sale. Use figures from fewer than {LEAST_SALES} sales with caution. Price variation: how much
      prices per acre differ, from 0 (all equal) to 100. This is the Gini coefficient.
    </small>
  </p>
);

type Bucket = RegionStats['stats'][number];

const SORTS: readonly Column<Bucket>[] = [
  { key: 'size', label: 'Lot size', value: ({ type }) => sizeOrder(type), first: 'ascending' },
  ...COLUMNS.map(key => ({ key, label: METRICS[key].label, value: ({ data }: Bucket) => data[key] ?? null })),
];

/**
 * The cells in a bucket's row. A rate's bar ends at 100%, and a note explains higher rates. The bars for days
 * end at the slowest bucket.
 */
function cellsOf({ data }: Bucket, slowest: number): (string | VNode)[] {
  return COLUMNS.map(key => {
    const value = data[key];
    const figure = shown(key, value);
    if (value == null || (key !== '1yr STR' && key !== 'Avg DOM 1yr')) return figure;
    const isRate = key === '1yr STR';
    return (
      <span class="rate">
        <Meter
          percent={isRate ? Math.min(100, value) : Math.min(100, (100 * value) / Math.max(1, slowest))}
        />
        {figure}
        {isRate && value > 100 && (
          <small>
            {count(data['Sold: 1yr']!)} sold, {count(data.Active!)} for sale
          </small>
        )}
      </span>
    );
  });
}

/** Sorts buckets by their minimum acreage, then by their maximum. */
function sizeOrder(type: string): number {
  const { minAcres, maxAcres } = ACRE_BUCKETS.find(({ label }) => label === type)!;
  return minAcres * 1e6 + maxAcres;
}

function Buckets({ market, open, url }: { market: RegionStats; open: string; url: URL }) {
  const sort = url.searchParams.get('sort') ?? 'size';
  const overlapping = url.searchParams.get('sizes') === 'overlapping';
  const of = (narrow: boolean) => market.stats.filter(({ type }) => NARROW_BUCKETS.includes(type) === narrow);
  const rows = sortRows(of(!overlapping), SORTS, sort);
  const whole = overlapping ? undefined : market.stats.find(({ type }) => type === DEFAULT_BUCKET);
  const slowest = Math.max(...rows.map(({ data }) => data['Avg DOM 1yr'] ?? 0));
  return (
    <>
      <div class="pagehead">
        <h2>By lot size</h2>
        <nav class="seg" aria-label="Lot sizes">
          <a href={withParam(url, 'sizes')} aria-current={overlapping ? undefined : 'true'}>
            Narrow sizes · {of(true).length}
          </a>
          <a href={withParam(url, 'sizes', 'overlapping')} aria-current={overlapping ? 'true' : undefined}>
            Overlapping sizes · {of(false).length}
          </a>
        </nav>
      </div>
      <Grid
        name="Lot sizes"
        heads={sortHeads(url, SORTS, sort)}
        rows={rows.map(row => [
          row.type === open ? (
            <b>{sizes(row.type)}</b>
          ) : (
            <a href={withParam(url, 'bucket', row.type)}>{sizes(row.type)}</a>
          ),
          ...cellsOf(row, slowest),
        ])}
        foot={whole && [`All, ${sizes(whole.type)}`, ...cellsOf(whole, slowest)]}
      />
      <Legend />
      <details>
        <summary>
          All {METRIC_KEYS.length} statistics for {sizes(open)}
        </summary>
        <Grid
          name={`Statistics for ${sizes(open)}`}
          heads={['Statistic', 'Value']}
          rows={METRIC_KEYS.map(key => [
            METRICS[key].label,
            shown(key, market.stats.find(({ type }) => type === open)?.data[key]),
          ])}
        />
      </details>
    </>
  );
}

export const marketPages = [zipMarketPage, marketPage];
