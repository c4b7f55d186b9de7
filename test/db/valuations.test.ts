import { beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../shared/db.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitModel } from '../../shared/kernels/valuation/model.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { readComps } from '../../workers/valuation/comps.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { insertParcels } from '../support/parcels.ts';
import { storedValuations, valuationMarks, valueMarket } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, clearMarket, parcelAt, randomComp, saleAt, seedParcels } from './valuations-support.ts';

const { pool } = await createTestDatabase();
const folder = testFolder();
const { signal } = new AbortController();

const listings = () => listingFeed(pool, folder, { snapshot: false, asOf: AS_OF });
type Feed = ReturnType<typeof listings>;

beforeEach(() => clearMarket(pool));

/** The market of three counties, with so many comps, fitted and valued. */
async function market(comps = 300, parcels = 200): Promise<Feed> {
  const random = createRandom(7);
  await seedParcels(pool, random, parcels);
  const feed = listings();
  await feed.run(Array.from({ length: comps }, (_, i) => randomComp(random, String(i))));
  await valueMarket(pool, { asOf: AS_OF });
  return feed;
}

/** The estimates of every parcel by the kernel alone, with all comps at hand. */
async function estimatesOfKernel(): Promise<Map<number, number>> {
  const comps = await transaction(pool, readComps);
  const value = createValuer(fitModel(comps, dayOf(AS_OF)).model);
  const { rows } = await pool.query<{ id: number; fips: number; lon: number; lat: number; acres: number }>(
    `select property_id as id, fips, location[0] / 1e7 as lon, location[1] / 1e7 as lat, effective_acres as acres
     from parcel_filters where effective_acres > 0 order by property_id`,
  );
  const estimates = rows.map(({ id, fips, ...place }): [number, number | undefined] => [
    id,
    value({ ...place, county: fips })?.meanAdjustedPrice,
  ]);
  return new Map(estimates.filter((pair): pair is [number, number] => pair[1] !== undefined));
}

async function storedEstimates(): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ id: number; price: number }>(
    'select property_id as id, mean_adjusted_price as price from valuations order by property_id',
  );
  return new Map(rows.map(({ id, price }) => [id, price]));
}

describe('a county', () => {
  test('is valued as the kernel values it with every comp of the nation at hand', async () => {
    await market();
    const stored = await storedEstimates();
    expect(stored.size).toBeGreaterThan(100);
    expect(stored).toEqual(await estimatesOfKernel());
  });

  test('beside one of few sales is valued by the price levels that far sales of that one set', async () => {
    // A county whose sales are close together, so that its steps are short; at its far end are sales of its neighbour.
    const random = createRandom(3);
    const dense = Array.from({ length: 300 }, (_, i) => {
      const price = 20_000 + 20_000 * random();
      return saleAt(`a${i}`, 33_005, -72 + 0.05 * random(), 43 + 0.05 * random(), 3, price);
    });
    const end = [-71.4, 43.4] as const;
    const sparse = Array.from({ length: 30 }, (_, i) => {
      const price = 90_000 * (1 + random());
      const away = i < 3 ? 0.005 * (i + 1) : 0.1 + 0.4 * random();
      return saleAt(`b${i}`, 33_019, end[0] + away, end[1] + away, 3, price);
    });
    await insertParcels(pool, [
      parcelAt(33_005, 1, -71.97, 43.02, 3),
      parcelAt(33_005, 2, ...end, 3),
      parcelAt(33_019, 1, end[0] + 0.2, end[1] + 0.2, 3),
    ]);
    await pool.query('insert into county_serials values (33005, 100), (33019, 100)');
    const feed = listings();
    await feed.run([...dense, ...sparse]);
    await valueMarket(pool, { asOf: AS_OF });
    expect((await storedEstimates()).size).toBe(3);
    expect(await storedEstimates()).toEqual(await estimatesOfKernel());
  });

  test('is replaced at once: others see the old valuations or the new ones', async () => {
    await market();
    const before = await storedValuations(pool);
    await pool.query("update listings set price = 3 * price where status = 'SOLD'");
    await pool.query(`create function slow() returns trigger language plpgsql as
      $$ begin if new.property_id % 7 = 0 then perform pg_sleep(0.02); end if; return new; end $$`);
    await pool.query('create trigger slow before insert on valuations for each row execute function slow()');
    let done = false;
    const valued = valueCounty(pool, 33_005, { signal }).finally(() => {
      done = true;
    });
    let looks = 0;
    const seen = new Set<string>();
    while (!done) {
      seen.add(JSON.stringify([...(await storedValuations(pool))]));
      looks++;
    }
    await valued;
    await pool.query('drop trigger slow on valuations; drop function slow');
    const after = await storedValuations(pool);
    expect(after).not.toEqual(before);
    expect(looks).toBeGreaterThan(5);
    const whole = [before, after].map(rows => JSON.stringify([...rows]));
    expect([...seen].filter(rows => !whole.includes(rows))).toEqual([]);
  });

  test('keeps its valuations and its mark when the job fails, and when the worker stops', async () => {
    await market(300, 2_000);
    await pool.query('insert into valuations_dirty (fips, fitted) values (33005, true)');
    const before = await storedValuations(pool);
    await pool.query("update listings set price = 3 * price where status = 'SOLD'");
    await pool.query(`create function fail() returns trigger language plpgsql as
      $$ begin if new.property_id % 50 = 0 then raise 'no'; end if; return new; end $$`);
    await pool.query('create trigger fail before insert on valuations for each row execute function fail()');
    await expect(valueCounty(pool, 33_005, { signal })).rejects.toThrow('no');
    await pool.query('drop trigger fail on valuations; drop function fail');
    expect(await storedValuations(pool)).toEqual(before);

    const stopping = new AbortController();
    const stopped = valueCounty(pool, 33_005, {
      signal: stopping.signal,
      progress: () => stopping.abort(new Error('the worker stops')),
    });
    await expect(stopped).rejects.toThrow('the worker stops');
    expect(await storedValuations(pool)).toEqual(before);
    expect(await valuationMarks(pool)).toEqual([33_005]);
    // The connection is as good as before.
    expect(pool.idleCount).toBe(pool.totalCount);
    await valueCounty(pool, 33_005, { signal });
    expect(await storedValuations(pool)).not.toEqual(before);
    expect(await valuationMarks(pool)).toEqual([]);
  });

  test('that has no parcels to value any more has no valuations', async () => {
    await market();
    await pool.query('update parcel_filters set effective_acres = null where fips = 33005');
    await valueCounty(pool, 33_005, { signal });
    const { rows } = await pool.query('select from valuations where fips = 33005');
    expect(rows).toEqual([]);
  });
});
