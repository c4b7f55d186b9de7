import { Agent } from 'node:http';
import type { Pool } from '../../shared/base/db.ts';
import { refreshDeals } from '../../workers/deals/refresh-deals.ts';
import { ensurePartitions } from '../../workers/ingest/merge/partitions.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { read } from './breakdown.ts';
import { MARKET_FIPS, seedMarket } from './generate/market.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const PATH = '/api/public/v1/deal-flow/listings/';
const SIZES = {
  full: { live: 20_000, board: 10_000, times: 9 },
  quick: { live: 1_000, board: 100, times: 2 },
};
const DEALS = 1_000;
const MOST_GRADE_MS = 2_000;
const MOST_LIST_MS = 300;

/** 1,000 deals of one county graded anew after listings changed, and a board of 10,000 deals in one answer. */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  const { live, board, times } = options.quick ? SIZES.quick : SIZES.full;
  return withBenchDatabase(options, async (url, pool) => {
    const client = await pool.connect();
    try {
      await ensurePartitions(pool, [MARKET_FIPS]);
      await seedMarket(client, { parcels: live, comps: live, seed: 16 });
    } finally {
      client.release();
    }
    const key = await createCaller(pool, 'board');
    await prepare(pool, live, board);
    const filled = await refreshDeals(pool, { fips: MARKET_FIPS });
    if (filled.found !== DEALS) throw new Error(`${filled.found} of ${DEALS} deals were found.`);
    const grading: number[] = [];
    let changed = 0;
    for (let round = 0; round < times; round++) {
      // As an ingestion leaves it: a tenth of the prices is another, and everything has been looked at more often.
      await pool.query(
        "update listings set price = price * 0.97, views = views + 7 where status = 'ACTIVE' and views % 10 = $1",
        [round % 10],
      );
      grading.push(
        await timed(async () => {
          changed += (await refreshDeals(pool, { fips: MARKET_FIPS })).changed;
        }),
      );
    }
    const listing = await withServers(url, ['plat'], async ({ plat }) => {
      const agent = new Agent({ keepAlive: true });
      const answers: number[] = [];
      let bytes = 0;
      for (let n = -2; n < times; n++) {
        const ms = await timed(async () => {
          bytes = (await read(plat + PATH, key, agent)).length;
        });
        if (n >= 0) answers.push(ms);
      }
      agent.destroy();
      return { ms: median(answers), bytes };
    });
    return [
      judged(
        {
          name: `grading ${DEALS} deals of a county with ${live} active listings`,
          ...{ reference: '', value: median(grading), unit: 'ms' },
          details: {
            'slowest ms': Math.max(...grading).toFixed(0),
            'cards changed a round': changed / times,
          },
        },
        { most: MOST_GRADE_MS },
      ),
      judged(
        {
          name: `a board of ${board} deals in one answer`,
          ...{ reference: '', value: listing.ms, unit: 'ms' },
          details: { 'response bytes': listing.bytes },
        },
        { most: MOST_LIST_MS },
      ),
    ];
  });
}

/** A listing on every parcel, deals of 1,000 of them on 50 boards, and one large board. */
async function prepare(pool: Pool, live: number, board: number): Promise<void> {
  await pool.query(
    `insert into listings (id, feed_id, source, source_id, status, address, state, county, apn, fips, lot_acres, price, listed_date,
       views, saves, row_hash, created_run, changed_run)
     select gen_random_uuid(), (select min(id) from feeds), 'live', f.property_id::text, 'ACTIVE', f.property_id || ' Main St', 'NE',
       'Cherry', f.property_id::text, $1, f.effective_acres, 1000 + (f.property_id % 97) * 900, date '2026-01-01' + (f.property_id % 150)::int,
       (f.property_id % 313)::int, (f.property_id % 7)::int, gen_random_uuid(), 1, 1
     from parcel_filters f where f.fips = $1 order by f.property_id limit $2`,
    [MARKET_FIPS, live],
  );
  for (let n = 0; n < 50; n++) await createCaller(pool, `account ${n}`);
  await pool.query('insert into deal_boards (account_id) select id from accounts');
  await pool.query(
    `insert into deals (board_id, status, position, property_id, fips, purchase_price)
     select b.id, 'listed', n, p.property_id, $1, 2500.50
     from (select id, row_number() over (order by id) as nth from deal_boards
           where account_id in (select id from accounts where name like 'account %')) b
     join (select property_id, row_number() over (order by property_id) - 1 as n from parcels where fips = $1 order by property_id limit $2) p
       on p.n % 50 + 1 = b.nth`,
    [MARKET_FIPS, Math.min(live, DEALS)],
  );
  await pool.query(
    `insert into deals (board_id, status, position, address, county, state, acreage, listed_price, fetch_status)
     select b.id, 'sold', n, n || ' Elm St', 'Cherry', 'NE', 12.5, 20000 + n, 'found'
     from deal_boards b join accounts a on a.id = b.account_id, generate_series(0, $1 - 1) n where a.name = 'board'`,
    [board],
  );
  await pool.query('vacuum analyze listings, deals');
}
