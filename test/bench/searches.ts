import type { FilterBody } from '../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../shared/parcels/filter/filter-schema.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { findMembers } from '../../shared/searches/find-members.ts';
import { followSearches } from '../../workers/searches/follow-searches.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { seedCounties } from './filter-county.ts';

const SIZES = {
  full: { parcels: 200_000, searches: 1_000, changed: 2_000, rounds: 3 },
  quick: { parcels: 2_000, searches: 10, changed: 100, rounds: 1 },
};
const MOST = 1.5;
const FIPS = 33_019;

/**
 * Measures how long saved searches take to follow a merge. Compared with running each search's filter as one
 * statement over the changed parcels, which is the minimum work.
 */
export async function bench(options: BenchOptions): Promise<BenchResult> {
  const { parcels, searches, changed, rounds } = options.quick ? SIZES.quick : SIZES.full;
  return withBenchDatabase(options, async (url, pool) => {
    await seedCounties(pool, [{ fips: FIPS, parcels, west: -725_000_000 }]);
    const filters = Array.from({ length: searches }, (_, n) => filterOf(n));
    await insertSearches(pool, filters);
    const bodies = filters.map(filter => filterSchema.parse(filter) as FilterBody);
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
    const log = createLogger(config, 'bench');
    const { signal } = new AbortController();
    const ours: number[] = [];
    const theirs: number[] = [];
    let notes = 0;
    for (let round = -1; round < rounds; round++) {
      const ids = await mergeSome(pool, changed);
      const theirMs = await timed(async () => {
        for (const body of bodies) await findMembers(pool, body, new Date(), FIPS, ids);
      });
      const ourMs = await timed(() => followSearches({ db: pool, log, config, signal }));
      const { rows } = await pool.query<{ notes: number }>(
        'select count(*)::int as notes from search_changes',
      );
      notes = rows[0]!.notes;
      if (round < 0) continue;
      ours.push(ourMs);
      theirs.push(theirMs);
    }
    if (notes === 0) throw new Error('No search has found anything.');
    return judged(
      {
        name: `${searches.toLocaleString('en-US')} saved searches follow ${changed.toLocaleString('en-US')} changed parcels`,
        reference: "one statement of each search's filter over those parcels",
        value: median(ours) / median(theirs),
        unit: 'x',
        details: {
          'ms, median': Math.round(median(ours)),
          'reference ms, median': Math.round(median(theirs)),
          notes,
          rounds,
        },
      },
      { most: MOST },
    );
  });
}

/** Filters with different ranges of acreage and other common conditions. */
function filterOf(n: number): object {
  const acres = { acres_min: 1 + (n % 20), acres_max: 3 + 2 * (n % 20) };
  const besides = [
    {},
    { vacant_only: true },
    { out_of_state_owner: true },
    { last_sale_date_max: '20150101' },
  ];
  return { county: String(FIPS), ...acres, ...besides[n % besides.length] };
}

async function insertSearches(pool: TestDb, filters: readonly object[]): Promise<void> {
  await pool.query(
    `with company as (insert into companies (name) values ('bench') returning id),
     account as (
       insert into accounts (name, tokens_included, company_id) select 'bench', 0, id from company returning id, company_id
     )
     insert into searches (company_id, account_id, name, filter, counties, notify, seq)
     select company_id, id, 'search', filter, $2, 'none', 0 from account, unnest($1::jsonb[]) f (filter)`,
    [filters.map(filter => JSON.stringify(filter)), [FIPS]],
  );
}

/** Changes the acreage of parcels all over the county and records the changes, as a merge does. */
async function mergeSome(pool: TestDb, changed: number): Promise<number[]> {
  const { rows } = await pool.query<{ property_id: number }>(
    `update parcel_filters set effective_acres = effective_acres * 1.1
     where fips = $1 and property_id in (
       select property_id from parcel_filters where fips = $1 order by hashint8(property_id + $3) limit $2
     )
     returning property_id`,
    [FIPS, changed, Math.floor(Math.random() * 1e6)],
  );
  const ids = rows.map(({ property_id }) => property_id);
  await pool.query(
    `insert into changes (at, type, fips, property_id, fields)
     select now(), 'parcel.changed', $1, id, '{"acres": [1, 2]}' from unnest($2::bigint[]) p (id)`,
    [FIPS, ids],
  );
  await pool.query('analyze parcel_filters');
  return ids;
}
