import pg from 'pg';
import { transaction } from '../../shared/db.ts';
import { usesLand } from '../../shared/kernels/valuation/effects.ts';
import { ensurePartitions } from '../../workers/ingest/merge/partitions.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import { readModel } from '../../workers/valuation/model-store.ts';
import { type BenchOptions, type BenchResult, judged, timed, withBenchDatabase } from './bench.ts';
import { knowLand, MARKET_AS_OF, MARKET_FIPS, seedMarket } from './generate/market.ts';

const FULL = { parcels: 200_000, comps: 100_000, seed: 6 };
const QUICK = { parcels: 4_000, comps: 2_000, seed: 6 };
/** Parcels for which the reference is measured; its time grows with their number. */
const SAMPLE = 5_000;

const NEAREST = `select price, lot_acres, sold_date from listings
  where status <> 'OFF_MARKET' order by location <-> $1::point limit 50`;

const { signal } = new AbortController();

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  return (await timed(work)) / 1000;
}

/**
 * All parcels of a county, valued by the sales among them: the model fitted to all sales, every parcel valued, all stored.
 * The reference only asks PostgreSQL for the 50 sales nearest to each parcel, prepared, on one connection, and neither adjusts
 * nor stores anything.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  const size = options.quick ? QUICK : FULL;
  return withBenchDatabase(options, async (url, pool) => {
    const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC -c jit=off' });
    try {
      await client.connect();
      await ensurePartitions(pool, [MARKET_FIPS]);
      await seedMarket(client, size);
      options.note(`  ${size.parcels} parcels and ${size.comps} sales seeded`);
      const reference = await measureReference(client, Math.min(SAMPLE, size.parcels));
      const fit = await secondsOf(() => fitMarket(pool, { asOf: MARKET_AS_OF }));
      const county = await secondsOf(() => valueCounty(pool, MARKET_FIPS, { signal }));
      options.note(`  fitted in ${fit.toFixed(1)} s, valued in ${county.toFixed(1)} s`);
      await client.query('vacuum analyze valuations');
      await knowLand(client);
      // A sale is linked to its land once, when it comes or the land does; every fit after that finds it linked.
      await fitMarket(pool, { asOf: MARKET_AS_OF });
      await client.query('vacuum analyze valuations');
      const landed = await secondsOf(async () => {
        await fitMarket(pool, { asOf: MARKET_AS_OF });
        await valueCounty(pool, MARKET_FIPS, { signal });
      });
      const { parameters } = await transaction(pool, readModel);
      if (!usesLand(parameters.effects))
        throw new Error(
          'The land of the generated sales has no effect: what is measured with it is nothing.',
        );
      return results(size, { reference, fit, county, landed });
    } finally {
      await client.end();
    }
  });
}

/** Seconds of one parcel. */
async function measureReference(client: pg.Client, sample: number): Promise<number> {
  const { rows } = await client.query<{ place: string }>(
    'select location::text as place from parcel_filters order by hashint8(property_id) limit $1',
    [sample],
  );
  const ask = ({ place }: { place: string }) =>
    client.query({ name: 'nearest', text: NEAREST, values: [place] });
  for (const row of rows.slice(0, 200)) await ask(row);
  const all = await secondsOf(async () => {
    for (const row of rows) await ask(row);
  });
  return all / rows.length;
}

type Seconds = Record<'reference' | 'fit' | 'county' | 'landed', number>;

function results(
  { parcels, comps }: typeof FULL,
  { reference, fit, county, landed }: Seconds,
): BenchResult[] {
  const name = `${parcels.toLocaleString('en')} parcels valued by ${comps.toLocaleString('en')} sales: read, fit, value, write`;
  const times = (seconds: number) => (reference * parcels) / seconds;
  return [
    judged(
      {
        ...{ name, value: times(fit + county), unit: 'x' },
        reference:
          '`order by location <-> point limit 50` for each parcel in SQL, prepared, without adjustment',
        details: {
          'model: read, fit, store, seconds': fit.toFixed(2),
          'county: read, value, write, seconds': county.toFixed(2),
          'with the land of all, seconds': landed.toFixed(2),
          'with the land of all, x': times(landed).toFixed(2),
          'reference ms a parcel': (1000 * reference).toFixed(3),
          'reference measured on': `${Math.min(SAMPLE, parcels)} parcels, scaled`,
        },
      },
      { least: 10 },
    ),
    judged(
      {
        ...{ name: `${name}: time`, value: 1000 * (fit + county), unit: 'ms' },
        reference: 'none: what a county of that size may take',
        details: { 'with the land of all, ms': Math.round(1000 * landed) },
      },
      { most: 10_000 },
    ),
  ];
}
