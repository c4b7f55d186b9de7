import type { CountyFacts } from '../../../shared/market/read-county-facts.ts';
import { sizes } from '../../../shared/model/buckets.ts';
import { COUNTY_FACT_KEYS, COUNTY_FACTS } from '../../../shared/model/county-facts.ts';
import { METRICS } from '../../../shared/model/market-metrics.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import { countyStats, zipStats } from '../../v1/market/get-market-stats.ts';
import { Grid, Submit } from '../frame/layout.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { countyOf } from '../parts/county-filter.ts';
import { WhoLoads } from '../parts/no-parcels.tsx';
import { findGap, type Gap } from './market-gap.ts';
import { type OtherMarket, readPast } from './market-past.tsx';
import { COLUMNS, lineNameOf, shown, titleOf } from './market-words.ts';

const MAX_OTHERS = 3;

type Other = OtherMarket & { asked: string; market: RegionStats; gap: Gap | undefined };
export type Others = { others: Other[]; faults: string[] };

/** The other markets in the URL (`with`), each up to the same date as the page's own market. */
export async function readOthers(visit: Visit, bucket: string, asOf: string): Promise<Others> {
  const asked = visit.url.searchParams
    .getAll('with')
    .map(text => text.trim())
    .filter(text => text !== '')
    .slice(0, MAX_OTHERS);
  const found: Others = { others: [], faults: [] };
  for (const text of asked) {
    try {
      const market = await readMarket(visit, text);
      const past = await readPast(visit, market, bucket, asOf);
      const gap = await findGap(visit, market);
      found.others.push({ asked: text, name: lineNameOf(market), market, past, gap });
    } catch (error) {
      if (!(error instanceof PlatError)) throw error;
      found.faults.push(error.message);
    }
  }
  return found;
}

async function readMarket(visit: Visit, text: string): Promise<RegionStats> {
  const zip = /^(?:zip)?\s*:?\s*(\d{5})$/i.exec(text)?.[1];
  const county = countyOf(text, new Set());
  if (typeof county === 'number')
    return callEndpoint<RegionStats>(visit, countyStats, { params: { fips: fiveDigits(county) } });
  if (zip === undefined) throw county;
  return callEndpoint<RegionStats>(visit, zipStats, { params: { zip } });
}

type ComparedProps = {
  visit: Visit;
  market: RegionStats;
  bucket: string;
  found: Others;
  factsOf: ReadonlyMap<number, CountyFacts>;
};

/** Up to four markets side by side. */
export function Compared({ visit, market, bucket, found: { others, faults }, factsOf }: ComparedProps) {
  const all = [market, ...others.map(other => other.market)];
  const figures = all.map(({ stats }) => stats.find(({ type }) => type === bucket)?.data);
  // A ZIP code has no facts of its own.
  const facts = all.map(({ type, fips }) => (type === 'county' ? factsOf.get(Number(fips)) : undefined));
  const known = COUNTY_FACT_KEYS.filter(key => facts.some(one => one && one.values[key] !== null));
  const kept = [...visit.url.searchParams].filter(([name]) => name !== 'with' && name !== 'format');
  return (
    <section aria-labelledby="compared" class={others.length > 0 ? undefined : 'uncompared'}>
      <h2 id="compared">Side by side</h2>
      {faults.map(fault => (
        <p class="notice" role="alert">
          {fault}
        </p>
      ))}
      {others.length > 0 && (
        <Grid
          name="Markets side by side"
          heads={['', ...all.map(titleOf)]}
          rows={[
            ...COLUMNS.map(key => [METRICS[key].label, ...figures.map(data => shown(key, data?.[key]))]),
            ...known.map(key => [COUNTY_FACTS[key].label, ...facts.map(one => shown(key, one?.values[key]))]),
          ]}
        />
      )}
      {others.map(
        (other, i) =>
          figures[i + 1] === undefined && (
            <p>
              <b>{titleOf(other.market)}</b>: <WhyEmpty visit={visit} other={other} bucket={bucket} />
            </p>
          ),
      )}
      <form method="get" action="#compared" class="buttons">
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {others.map(({ asked, market: other }) => (
          <label>
            <input type="checkbox" name="with" value={asked} checked /> {titleOf(other)}
          </label>
        ))}
        {others.length < MAX_OTHERS && (
          <label>
            County or ZIP code <input name="with" placeholder="e.g., Merrimack, NH" class="short" />
          </label>
        )}
        <Submit label="Compare markets" kind="second" />
      </form>
    </section>
  );
}

function WhyEmpty({ visit, other: { market, gap }, bucket }: { visit: Visit; other: Other; bucket: string }) {
  if (market.stats.length > 0) return <>no lots of {sizes(bucket)}. Other sizes have data.</>;
  if (gap === undefined || gap.isLoaded) return <>no sales or listings on file. {gap?.message}</>;
  return (
    <>
      no parcels loaded. <WhoLoads visit={visit} fips={gap.fips} coverage="/coverage" />
    </>
  );
}
