import type { VNode } from 'preact';
import { viewMarkets } from '../../../shared/market/market-statements.ts';
import { readCountyFacts } from '../../../shared/market/read-county-facts.ts';
import { ACRE_BUCKETS, NARROW_BUCKETS, sizes } from '../../../shared/model/buckets.ts';
import { count, day } from '../../../shared/model/figures.ts';
import { LEAST_SALES, METRICS } from '../../../shared/model/market-metrics.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { notFound } from '../../http/error-responses.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import { countyStats, zipStats } from '../../v1/market/get-market-stats.ts';
import { deleteMarket, listMarkets, type SavedMarket, saveMarket } from '../../v1/market/saved-markets.ts';
import { Back, Grid, LinkButton, Meter, Notice, Submit, Toast } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, type Visit, withParam } from '../frame/visit.ts';
import { countyOf } from '../parts/county-filter.ts';
import { NoParcels } from '../parts/no-parcels.tsx';
import { Compared, readOthers } from './market-compared.tsx';
import { CountyPart } from './market-facts.tsx';
import { findGap } from './market-gap.ts';
import { Cards, Past, pastFile, readPast } from './market-past.tsx';
import { Since } from './market-since.tsx';
import { AllStatistics } from './market-table.tsx';
import { COLUMNS, lineNameOf, shown, titleOf } from './market-words.ts';
import { type Column, sortHeads, sortRows } from './sort-table.ts';

const DEFAULT_BUCKET = '0.2 acre-100 acre';

export const savedMarketActions = (pathAfter: (url: URL, saved?: string) => string): Page['actions'] => ({
  async remove(visit) {
    await callEndpoint(visit, deleteMarket, { params: { id: visit.form.get('id') ?? '' } });
    return { redirect: pathAfter(visit.url) };
  },
  /** Saves a market or changes its status. */
  async default(visit) {
    const region_id = visit.form.get('region_id') ?? '';
    const status = (visit.form.get('status') ?? '').trim();
    const { id } = await callEndpoint<SavedMarket>(visit, saveMarket, { body: { region_id, status } });
    return { redirect: pathAfter(visit.url, id) };
  },
});

const actions = savedMarketActions(({ pathname }, saved) =>
  saved ? `${pathname}?saved=${saved}` : pathname,
);

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
  const seen = savedMarket && (await viewMarkets(visit.deps.db, visit.session!.user.id, [savedMarket.id]))[0];
  const gap = await findGap(visit, market);
  const asOf = market.as_of;
  const past = bucket && asOf ? await readPast(visit, market, bucket.type, asOf) : null;
  if (bucket && past && visit.url.searchParams.get('format') === 'csv')
    return pastFile(titleOf(market), bucket.type, past);
  const compared = bucket && asOf ? await readOthers(visit, bucket.type, asOf) : null;
  const fips = fipsOf(market);
  const isCompared = compared !== null && compared.others.length > 0;
  const factsOf = await readCountyFacts(visit.deps.db, isCompared ? null : fips);
  const facts = factsOf.get(fips ?? 0);
  const body = (
    <>
      <Back to="/markets" words="‹ Markets" />
      <Head market={market} bucket={bucket} fips={fips} saved={savedMarket} />
      {savedMarket && visit.url.searchParams.get('saved') === savedMarket.id && (
        <Saved market={savedMarket} />
      )}
      {gap && !gap.isLoaded && <NoParcels visit={visit} counties={[gap.fips]} />}
      {gap?.isLoaded !== false && <WhyEmpty isEmpty={bucket === undefined} why={gap?.message} />}
      {bucket === undefined ? (
        facts && <CountyPart facts={facts} />
      ) : (
        <>
          {seen && <Since view={seen} bucket={bucket.type} keys={COLUMNS} />}
          <Cards market={market} bucket={bucket.type} past={past} />
          {compared && (
            <Compared visit={visit} market={market} bucket={bucket.type} found={compared} factsOf={factsOf} />
          )}
          {facts && <CountyPart facts={facts} />}
          <Buckets market={market} open={bucket.type} url={visit.url} />
          {past && <Past visit={visit} name={lineNameOf(market)} past={past} others={compared!.others} />}
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
  return {
    title: titleOf(market),
    body,
    assetNames: ['cards.css', 'market.css', 'lists.css', 'exports.mjs'],
  };
}

function WhyEmpty({ isEmpty, why }: { isEmpty: boolean; why: string | undefined }) {
  const words = why || (isEmpty && 'No sales or listings on file for this market.');
  return words ? <Notice>{words}</Notice> : null;
}

type HeadProps = {
  market: RegionStats;
  bucket: Bucket | undefined;
  fips: number | null;
  saved: SavedMarket | undefined;
};

function Head({ market, bucket, fips, saved }: HeadProps) {
  const isKnown = bucket !== undefined && market.as_of !== null;
  return (
    <div class="pagehead">
      <div>
        <h1>{titleOf(market)}</h1>
        {isKnown && (
          <p class="soft">
            Lots of {sizes(bucket.type)} · as of {day(market.as_of!)} · {count(bucket.listings)} sales and
            listings on file
          </p>
        )}
      </div>
      <Switch market={market} fips={fips} hasZips={isKnown} />
      {isKnown && <LinkButton to="#compared" words="Compare" kind="second" />}
      <SaveForm market={market} saved={saved} />
    </div>
  );
}

function SaveForm({ market, saved }: { market: RegionStats; saved: SavedMarket | undefined }) {
  return (
    <form method="post" class="buttons">
      <input type="hidden" name="region_id" value={market.id} />
      <input type="hidden" name="id" value={saved?.id ?? ''} />
      <input
        name="status"
        aria-label="Status"
        value={saved?.status ?? 'Watching'}
        maxlength={64}
        class="short"
      />
      <button type="submit">{saved ? 'Change status' : 'Save market'}</button>
      {saved && <Submit label="Remove market" does="remove" kind="danger" />}
    </form>
  );
}

const Saved = ({ market: { id, status } }: { market: SavedMarket }) => (
  <Toast words={status ? `Market saved as ${status}` : 'Market saved'}>
    <form method="post">
      <input type="hidden" name="id" value={id} />
      <Submit label="Undo" does="remove" kind="second small" />
    </form>
  </Toast>
);

type SwitchProps = { market: RegionStats; fips: number | null; hasZips: boolean };

/** Leads from a county to its ZIP codes, and from a ZIP code to its county. */
function Switch({ market, fips, hasZips }: SwitchProps) {
  if (fips === null || !hasZips) return null;
  const isZip = market.type === 'zip';
  return (
    <nav class="seg" aria-label="Market area">
      <a href={`/markets/${fiveDigits(fips)}`} aria-current={isZip ? undefined : 'true'}>
        {countyText(fips)}
      </a>
      <a href={`/markets?type=zip&county=${fiveDigits(fips)}`} aria-current={isZip ? 'true' : undefined}>
        {isZip ? `ZIP ${market.name}` : 'ZIP codes'}
      </a>
    </nav>
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
          data-dialog
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
          <LinkButton to={`/coverage/${market.fips}`} words="Data quality" kind="second" />
        </>
      )}
    </p>
  );
}

/** A ZIP code's county is known only by name. */
function fipsOf({ type, fips, county_name, state }: RegionStats): number | null {
  if (type === 'county') return Number(fips);
  const code = countyOf(`${county_name}, ${state}`, new Set());
  return typeof code === 'number' ? code : null;
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
        <summary>All statistics for {sizes(open)}</summary>
        <AllStatistics
          bucket={sizes(open)}
          data={market.stats.find(({ type }) => type === open)?.data ?? {}}
        />
      </details>
    </>
  );
}

export const marketPages = [zipMarketPage, marketPage];
