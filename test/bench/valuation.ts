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
import { readComps } from '../../workers/valuation/comps.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import { readModel } from '../../workers/valuation/model-store.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { knowLand, MARKET_AS_OF, MARKET_FIPS, seedMarket } from './generate/market.ts';
import { cpuSeconds } from './process-figures.ts';

const FULL = { parcels: 200_000, comps: 100_000, seed: 6 };
const QUICK = { parcels: 4_000, comps: 2_000, seed: 6 };
/** Parcels for which the reference is measured; its time grows with their number. */
const SAMPLE = 5_000;
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
 * nor stores anything.
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
      const { parameters } = await transaction(pool, readModel);
      if (!usesLand(parameters.effects))
        throw new Error(
          'The land of the generated sales has no effect: what is measured with it is nothing.',
        );
      return [
        ratioResult(size, reference, fit, county, landed, parts),
        secondsResult(size, fit.seconds + county.seconds, landed.seconds),
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

const REFERENCE =
  '`order by location <-> point limit 50` for each parcel in SQL, prepared, without adjustment';
const rounded = (value: number) => Number(value.toFixed(2));

function ratioResult(
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

function secondsResult({ parcels, comps }: typeof FULL, seconds: number, landed: number): BenchResult {
  return judged(
    {
      name: `the same as a time: ${parcels.toLocaleString('en')} parcels, ${comps.toLocaleString('en')} sales`,
      reference: 'none: what a county of that size may take',
      value: 1000 * seconds,
      unit: 'ms',
      details: { 'with the land of all, ms': Math.round(1000 * landed) },
    },
    { most: 10_000 },
  );
}
