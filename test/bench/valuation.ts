import pg from 'pg';
import { ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import { recordCounty } from '../../workers/valuation/record-county.ts';
import { valueCounty } from '../../workers/valuation/value-county.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, timed, withBenchDatabase } from './bench.ts';
import { knowLand, MARKET_AS_OF, MARKET_FIPS, seedMarket } from './generate/market.ts';

const FULL = { parcels: 200_000, comps: 100_000, seed: 6 };
const QUICK = { parcels: 4_000, comps: 2_000, seed: 6 };
/** Number of parcels for which the reference is measured. Its time grows with their number. */
const SAMPLE = 5_000;

/** A county's record is computed after a valuation, no more than weekly, so it may take as long. */
const MAX_OF_VALUATION = 1;

const NEAREST = `select price, lot_acres, sold_date from listings
  where status <> 'OFF_MARKET' order by location <-> $1::point limit 50`;

/**
 * Values all parcels of a county from its sales: reads comps, fits the market, values every parcel and stores
 * all values. Runs twice: once with nothing known about the land, and once with every parcel's slope,
 * frontage, flood zone, and wetlands. The reference only queries PostgreSQL for the 50 sales nearest to each
 * parcel, prepared, on one connection; it doesn't adjust or store anything.
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
      const reference = await referenceSeconds(client, Math.min(SAMPLE, size.parcels));
      const plain = await countySeconds(pool);
      await knowLand(client);
      // A sale is linked to its land only once, when the sale or the land figures arrive.
      await countySeconds(pool);
      await client.query('vacuum analyze valuations');
      const landed = await countySeconds(pool);
      return [...results(size, reference, plain, landed), await record(pool, landed)];
    } finally {
      await client.end();
    }
  });
}

async function countySeconds(pool: TestDb): Promise<number> {
  const { signal } = new AbortController();
  return (await timed(() => valueCounty(pool, { fips: MARKET_FIPS, asOf: MARKET_AS_OF }, { signal }))) / 1000;
}

/**
 * Measures the county's record: roll completeness, the values of past sales, and the ratio studies of both.
 */
async function record(pool: TestDb, landed: number): Promise<BenchResult> {
  const { signal } = new AbortController();
  let sales = 0;
  const ms = await timed(async () => {
    sales = (await recordCounty(pool, MARKET_FIPS, { signal })).sales;
  });
  return judged(
    {
      name: `the record of the county, ${sales.toLocaleString('en')} past sales valued anew`,
      reference: 'its valuation, with the land of all',
      value: ms / 1000 / landed,
      unit: 'x',
      details: { seconds: rounded(ms / 1000), 'reference seconds': rounded(landed) },
    },
    { most: MAX_OF_VALUATION },
  );
}

/** How long the reference takes per parcel, in seconds. */
async function referenceSeconds(client: pg.Client, sample: number): Promise<number> {
  const { rows } = await client.query<{ place: string }>(
    'select location::text as place from parcel_filters order by hashint8(property_id) limit $1',
    [sample],
  );
  const ask = ({ place }: { place: string }) =>
    client.query({ name: 'nearest', text: NEAREST, values: [place] });
  for (const row of rows.slice(0, 200)) await ask(row);
  const ms = await timed(async () => {
    for (const row of rows) await ask(row);
  });
  return ms / 1000 / rows.length;
}

const rounded = (value: number) => Number(value.toFixed(2));

function results(
  { parcels, comps }: typeof FULL,
  reference: number,
  plain: number,
  landed: number,
): BenchResult[] {
  const counts = `${parcels.toLocaleString('en')} parcels valued by ${comps.toLocaleString('en')} sales`;
  return [
    judged(
      {
        name: `${counts}: read, fit, value, write`,
        reference:
          '`order by location <-> point limit 50` for each parcel in SQL, prepared, without adjustment',
        value: (reference * parcels) / plain,
        unit: 'x',
        details: {
          seconds: rounded(plain),
          'with the land of all, x': rounded((reference * parcels) / landed),
          'reference seconds': rounded(reference * parcels),
          'reference measured on': `${Math.min(SAMPLE, parcels)} parcels, scaled`,
        },
      },
      { least: 10 },
    ),
    judged(
      {
        name: `${counts}, as a time`,
        reference: '',
        value: 1000 * plain,
        unit: 'ms',
        details: { 'with the land of all, ms': Math.round(1000 * landed) },
      },
      { most: 10_000 },
    ),
  ];
}
