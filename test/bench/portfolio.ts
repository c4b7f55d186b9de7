import type pg from 'pg';
import { openDatabase } from '../../api/http/database.ts';
import type { Resources } from '../../api/v1/common/endpoint-resources.ts';
import { SUMMARY_COLUMNS } from '../../api/v1/common/parcel-summary.ts';
import { ownerPortfolio } from '../../api/v1/parcels/owner-portfolio.ts';
import { ensurePartitions } from '../../workers/ingest/merge/partitions.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';

const STATES = [1, 4, 5, 6, 8, 12, 13, 19, 20, 22, 26, 27, 29, 33, 36, 37, 39, 42, 48, 53];
const COUNTIES = STATES.flatMap(state => [state * 1_000 + 1, state * 1_000 + 3]);
const PARCELS_A_COUNTY = 10_000;
const PORTFOLIO = 500;
const ROUNDS = 200;
const MAX_RATIO = 3;

/**
 * The portfolio of an owner of 500 parcels in 40 counties of 20 states, from the call of the endpoint's handler to the
 * finished answer, against a read of the same columns of the same rows by primary key. Rounds alternate; medians count.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async (_url, pool) => {
    options.note(`  writing ${COUNTIES.length} counties of ${PARCELS_A_COUNTY} parcels`);
    const ids = await seed(pool, options.quick ? 500 : PARCELS_A_COUNTY);
    return await compare(pool, ids, options.quick ? 10 : ROUNDS);
  });
}

const KEY = '11111111-1111-1111-1111-111111111111';

/** @returns the ids of the portfolio's parcels, which lie evenly spread among the others */
async function seed(pool: pg.Pool, parcels: number): Promise<number[]> {
  await ensurePartitions(pool, COUNTIES);
  const held = Math.ceil(PORTFOLIO / COUNTIES.length);
  await pool.query(
    `insert into parcels (fips, property_id, feed_id, source_key, apn, location, acres, calculated_acres, owner_name,
       mail_address, mail_city, mail_state, mail_zip, situs_address, situs_city, situs_state, situs_zip, boundary,
       created_run, changed_run)
     select fips, fips * 100000000::bigint + i, 1, i::text, i::text, point(-936000000, 416000000), 1.5, 1.49, 'OWNER ' || i,
       i || ' OAK ST', 'DES MOINES', 'IA', '50309', i || ' ELM AVE', 'DES MOINES', 'IA', '50309',
       decode(repeat('0a1b2c3d', 12), 'hex'), 1, 1
     from unnest($1::int[]) fips, generate_series(1, $2::int) i`,
    [COUNTIES, parcels],
  );
  await pool.query(
    `insert into parcel_filters (fips, property_id, owner_key)
     select fips, property_id,
       case when (property_id % 100000000) % ($2::int / $3::int) = 0 then $1::uuid else md5(property_id::text)::uuid end
     from parcels`,
    [KEY, parcels, held],
  );
  // Spread over the counties one by one until the portfolio is full.
  const { rows } = await pool.query<{ property_id: number }>(
    `select property_id from parcel_filters where owner_key = $1
     order by property_id % 100000000, property_id limit $2`,
    [KEY, PORTFOLIO],
  );
  const ids = rows.map(row => row.property_id).sort((a, b) => a - b);
  await pool.query(
    'update parcel_filters set owner_key = null where owner_key = $1 and property_id <> all ($2::bigint[])',
    [KEY, ids],
  );
  await pool.query(
    `insert into owner_parcels select owner_key, property_id, md5('place of ' || owner_key)::uuid
     from parcel_filters where owner_key is not null`,
  );
  for (const table of ['parcels', 'parcel_filters', 'owner_parcels'])
    await pool.query(`vacuum analyze ${table}`);
  return ids;
}

async function compare(pool: pg.Pool, ids: number[], rounds: number): Promise<BenchResult> {
  const database = openDatabase(pool);
  const input = { params: { property_id: ids[250]! }, query: {}, body: undefined };
  const call = { appUrl: 'https://app.example.org' };
  let answer:
    | { total_parcels: number; total_counties: number; results: { property_id: number }[] }
    | undefined;
  const portfolio = async () => {
    const { body } = await ownerPortfolio.handle(input, { database } as Resources, call as never);
    answer = body as typeof answer;
  };
  const byKey = () =>
    pool.query({
      name: 'by key',
      text: `select ${SUMMARY_COLUMNS} from unnest($1::int[], $2::bigint[]) wanted (fips, property_id)
             join parcels p on p.fips = wanted.fips and p.property_id = wanted.property_id order by p.property_id`,
      values: [ids.map(id => Math.floor(id / 1e8)), ids],
    });

  const times = { portfolio: [] as number[], byKey: [] as number[] };
  for (let round = -10; round < rounds; round++) {
    const ms = { portfolio: await timed(portfolio), byKey: await timed(byKey) };
    if (round < 0) continue;
    times.portfolio.push(ms.portfolio);
    times.byKey.push(ms.byKey);
  }
  const found = answer?.results.map(parcel => parcel.property_id);
  if (JSON.stringify(found) !== JSON.stringify(ids) || answer?.total_counties !== COUNTIES.length)
    throw new Error(
      `The portfolio has ${found?.length} parcels in ${answer?.total_counties} counties: its time means nothing.`,
    );
  return judged(
    {
      name: `owner portfolio of ${ids.length} parcels in ${COUNTIES.length} counties`,
      reference: 'a primary-key read of those rows',
      value: median(times.portfolio) / median(times.byKey),
      unit: 'x',
      details: {
        'ms, median': median(times.portfolio).toFixed(2),
        'reference ms, median': median(times.byKey).toFixed(2),
        rounds,
      },
    },
    { most: MAX_RATIO },
  );
}
