import pg from 'pg';
import { loadConfig } from '../../shared/config.ts';
import { createPool, type Pool, transaction } from '../../shared/db.ts';
import { fromE7 } from '../../shared/geo/codec.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { usesLand } from '../../shared/kernels/valuation/effects.ts';
import { fitModel } from '../../shared/kernels/valuation/model.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { createLogger } from '../../shared/log.ts';
import { ensurePartitions } from '../../workers/ingest/merge/partitions.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import { readModel } from '../../workers/valuation/model-store.ts';
import { readComps } from '../../workers/valuation/read-comps.ts';
import { refreshValuations } from '../../workers/valuation/refresh.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { knowLand, MARKET_AS_OF, MARKET_FIPS, randomSale, seedMarket } from './generate/market.ts';
import { createRandom } from './generate/random.ts';
import { cpuSeconds } from './process-figures.ts';

const FULL = { parcels: 200_000, comps: 100_000, seed: 6 };
const QUICK = { parcels: 4_000, comps: 2_000, seed: 6 };
/** Parcels for which the reference is measured; its time grows with their number. */
const SAMPLE = 5_000;
const NEW_SALES = 7;
const CONNECTIONS = 1;

const NEAREST = `select price, lot_acres, sold_date from listings
  where status <> 'OFF_MARKET' order by location <-> $1::point limit 50`;

const { signal } = new AbortController();

/** Time, and the processor's time of this process and of the connections' servers. */
type Spent = { seconds: number; cpuSeconds: number };

async function spent(work: () => unknown, servers: readonly number[] = []): Promise<Spent> {
  const ofServers = () => servers.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = ofServers();
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await work();
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 + ofServers() - before };
}

/** The processes that serve a pool, once all of its connections are open. */
async function serversOf(pool: Pool): Promise<number[]> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
  const pids = await Promise.all(
    clients.map(
      async client => (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid,
    ),
  );
  for (const client of clients) client.release();
  return pids;
}

/**
 * All parcels of a county, valued by the sales among them: the model fitted to all sales, every parcel valued, all stored.
 * The reference only asks PostgreSQL for the 50 sales nearest to each parcel, prepared, on one connection, and neither adjusts
 * nor stores anything. Then one sale is added, and the parcels that it reaches are valued anew.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  const size = options.quick ? QUICK : FULL;
  return withBenchDatabase(options, async url => {
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
    const pool = createPool(config, createLogger(config, 'bench'), {
      applicationName: 'plat bench',
      max: CONNECTIONS,
    });
    const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC -c jit=off' });
    try {
      await client.connect();
      await ensurePartitions(pool, [MARKET_FIPS]);
      await seedMarket(client, size);
      options.note(`  ${size.parcels} parcels and ${size.comps} sales seeded`);
      const reference = await measureReference(client, Math.min(SAMPLE, size.parcels));
      // Connections that are idle for 10 seconds are closed: their servers are asked for anew before each work.
      const fit = await spent(() => fitMarket(pool, { asOf: MARKET_AS_OF }), await serversOf(pool));
      const county = await spent(() => valueCounty(pool, MARKET_FIPS, { signal }), await serversOf(pool));
      options.note(`  fitted in ${fit.seconds.toFixed(1)} s, valued in ${county.seconds.toFixed(1)} s`);
      const parts = await measureParts(pool, client);
      await client.query('vacuum analyze valuations');
      const again = await spent(() => valueCounty(pool, MARKET_FIPS, { signal }), await serversOf(pool));
      const refreshed = await measureRefresh(pool, client);
      await knowLand(client);
      // A sale is linked to its land once, when it comes or the land does; every fit after that finds it linked.
      await fitMarket(pool, { asOf: MARKET_AS_OF });
      await client.query('vacuum analyze valuations');
      const landed = await spent(
        async () => {
          await fitMarket(pool, { asOf: MARKET_AS_OF });
          await valueCounty(pool, MARKET_FIPS, { signal });
        },
        await serversOf(pool),
      );
      const model = await readModel(pool);
      if (model === null || !usesLand(model.parameters.effects))
        throw new Error(
          'The land of the generated sales has no effect: what is measured with it is nothing.',
        );
      return [
        wholeResult(size, reference, fit, county, landed, parts),
        refreshResult(size, refreshed, again.seconds < county.seconds ? again : county),
      ];
    } finally {
      await client.end();
      await pool.end();
    }
  });
}

/** Of one parcel. */
async function measureReference(client: pg.Client, sample: number): Promise<Spent> {
  const { rows } = await client.query<{ place: string }>(
    'select location::text as place from parcel_filters order by hashint8(property_id) limit $1',
    [sample],
  );
  const ask = ({ place }: { place: string }) =>
    client.query({ name: 'nearest', text: NEAREST, values: [place] });
  for (const row of rows.slice(0, 200)) await ask(row);
  const { rows: servers } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const all = await spent(
    async () => {
      for (const row of rows) await ask(row);
    },
    servers.map(({ pid }) => pid),
  );
  return { seconds: all.seconds / rows.length, cpuSeconds: all.cpuSeconds / rows.length };
}

/** What the whole is made of, each part once more by itself. */
async function measureParts(pool: Pool, client: pg.Client) {
  const read = { comps: undefined as Awaited<ReturnType<typeof readComps>> | undefined };
  const reading = await spent(async () => {
    read.comps = await transaction(pool, readComps);
  });
  const fitted = { model: undefined as ReturnType<typeof fitModel>['model'] | undefined };
  const fitting = await spent(() => {
    fitted.model = fitModel(read.comps!, dayOf(MARKET_AS_OF)).model;
  });
  const { rows } = await client.query<{ x: number; y: number; acres: number }>(
    'select location[0] as x, location[1] as y, effective_acres as acres from parcel_filters',
  );
  const subjects = rows.map(({ x, y, acres }) => ({
    ...{ lon: fromE7(x), lat: fromE7(y), acres, county: MARKET_FIPS },
  }));
  const value = createValuer(fitted.model!);
  const valuing = await spent(() => {
    for (const subject of subjects) value(subject);
  });
  return { reading, fitting, valuing };
}

/** Adds sales one by one, each as a merge leaves it. */
async function measureRefresh(pool: Pool, client: pg.Client) {
  const random = createRandom(77);
  const times: Spent[] = [];
  const parcels: number[] = [];
  const { rows } = await client.query<{ id: number }>("select id from feeds where name = 'generated'");
  for (let i = 0; i < NEW_SALES; i++) {
    const sale = randomSale(random, 1e9 + i);
    const place = `(${sale.x},${sale.y})`;
    await client.query(
      `insert into listings (id, feed_id, source, source_id, status, location, fips, lot_acres, price, sold_date, row_hash, created_run, changed_run)
       values ($1, $2, 'generated', $1::uuid::text, 'SOLD', $3, $4, $5, $6, $7, $1, 2, 2)`,
      [sale.id, rows[0]!.id, place, MARKET_FIPS, sale.acres, sale.price, MARKET_AS_OF],
    );
    await client.query('insert into valuations_dirty (location, acres) values ($1, $2)', [place, sale.acres]);
    const refresh = async () => {
      const refreshed = await refreshValuations(pool, signal);
      if (refreshed.jobs.length > 0) throw new Error('One new sale has more done than a refresh.');
      parcels.push(refreshed.parcels);
    };
    times.push(await spent(refresh, await serversOf(pool)));
  }
  return { times, parcels };
}

const REFERENCE =
  '`order by location <-> point limit 50` for each parcel in SQL, prepared, without adjustment';
const rounded = (value: number) => Number(value.toFixed(2));

function wholeResult(
  { parcels, comps }: typeof FULL,
  reference: Spent,
  fit: Spent,
  county: Spent,
  /** All of it once more, where slope, frontage, flood zone and wetlands of every parcel and sale are known and have effects. */
  landed: Spent,
  parts: Record<'reading' | 'fitting' | 'valuing', Spent>,
): BenchResult {
  const seconds = fit.seconds + county.seconds;
  return judged(
    {
      name: `${parcels.toLocaleString('en')} parcels valued by ${comps.toLocaleString('en')} sales: read, fit, value, write`,
      reference: REFERENCE,
      value: (reference.seconds * parcels) / seconds,
      unit: 'x',
      details: {
        seconds: rounded(seconds),
        'CPU seconds, server included': rounded(fit.cpuSeconds + county.cpuSeconds),
        'x by CPU': rounded((reference.cpuSeconds * parcels) / (fit.cpuSeconds + county.cpuSeconds)),
        'model: read, fit, store, seconds': rounded(fit.seconds),
        'county: read, value, write, seconds': rounded(county.seconds),
        'apart: reading the sales, CPU seconds': rounded(parts.reading.cpuSeconds),
        'apart: fitting, CPU seconds': rounded(parts.fitting.cpuSeconds),
        'apart: valuing, CPU seconds': rounded(parts.valuing.cpuSeconds),
        'with the land of all, seconds': rounded(landed.seconds),
        'with the land of all, x': rounded((reference.seconds * parcels) / landed.seconds),
        'reference ms a parcel': Number((1000 * reference.seconds).toFixed(3)),
        'reference seconds': rounded(reference.seconds * parcels),
        'reference CPU seconds': rounded(reference.cpuSeconds * parcels),
        'reference measured on': `${Math.min(SAMPLE, parcels)} parcels, scaled`,
      },
    },
    { least: 10 },
  );
}

function refreshResult(
  { parcels }: typeof FULL,
  refreshed: { times: Spent[]; parcels: number[] },
  county: Spent,
): BenchResult {
  const seconds = median(refreshed.times.map(one => one.seconds));
  const cpu = median(refreshed.times.map(one => one.cpuSeconds));
  return judged(
    {
      name: `valuations after one new sale among ${parcels.toLocaleString('en')} parcels`,
      reference: 'valuing the whole county anew, without fitting',
      // At most 2 % of the time.
      value: county.seconds / seconds,
      unit: 'x',
      details: {
        ms: Math.round(1000 * seconds),
        'reference ms': Math.round(1000 * county.seconds),
        'CPU ms, server included': Math.round(1000 * cpu),
        'reference CPU ms': Math.round(1000 * county.cpuSeconds),
        'parcels valued anew': median(refreshed.parcels),
        'most parcels valued anew': Math.max(...refreshed.parcels),
        'slowest ms': Math.round(1000 * Math.max(...refreshed.times.map(one => one.seconds))),
        sales: `${NEW_SALES}, one by one; median`,
      },
    },
    { least: 50 },
  );
}
