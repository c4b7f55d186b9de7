import { beforeEach, describe, expect, test } from 'vitest';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { readComps } from '../../workers/valuation/valuation-comps.ts';
import { valueCounty } from '../../workers/valuation/value-county.ts';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase, lockWaits } from '../support/database.ts';
import { fitTo } from '../support/sales.ts';
import { storedValuations, valuationMarks, valueMarket } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, COUNTIES, clearMarket, randomComp, seedParcels } from './valuations-support.ts';

const { folder, pool } = await createTestDatabase();
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

/** The estimates of every parcel by the kernel alone, with every comp of the nation at hand. */
async function estimatesOfKernel(): Promise<Map<number, number>> {
  const comps = await pool.transaction(client => readComps(client));
  const estimates = new Map(COUNTIES.map(fips => [fips, fitTo(comps, dayOf(AS_OF), fips).estimates]));
  const valuers = new Map(
    COUNTIES.map(fips => {
      const others = new Map([...estimates].filter(([other]) => other !== fips));
      return [fips, createValuer(fitTo(comps, dayOf(AS_OF), fips, others).model)];
    }),
  );
  const { rows } = await pool.query<{ id: number; fips: number; lon: number; lat: number; acres: number }>(
    `select property_id as id, fips, location[0] / 1e7 as lon, location[1] / 1e7 as lat, effective_acres as acres
     from parcel_filters where effective_acres > 0 order by property_id`,
  );
  const values = rows.map(({ id, fips, ...place }): [number, number | undefined] => [
    id,
    valuers.get(fips as (typeof COUNTIES)[number])!(place)?.meanAdjustedPrice,
  ]);
  return new Map(values.filter((pair): pair is [number, number] => pair[1] !== undefined));
}

async function storedEstimates(): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ id: number; price: number }>(
    'select property_id as id, mean_adjusted_price as price from valuations order by property_id',
  );
  return new Map(rows.map(({ id, price }) => [id, price]));
}

describe('a county', () => {
  test('is valued as the kernel values it with every comp at hand, and what other counties say', async () => {
    await market();
    const stored = await storedEstimates();
    expect(stored.size).toBeGreaterThan(100);
    expect(stored).toEqual(await estimatesOfKernel());
  });

  test('is replaced at once: others see the old valuations or the new ones', async () => {
    await market();
    const before = await storedValuations(pool);
    await pool.query("update listings set price = 3 * price where status = 'SOLD'");
    await pool.query(`create function waits() returns trigger language plpgsql as
      $$ begin if new.property_id % 50 = 0 then perform pg_advisory_xact_lock_shared(1); end if; return new; end $$`);
    await pool.query(
      'create trigger waits before insert on valuations for each row execute function waits()',
    );
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock(1)');
    let done = false;
    const valued = valueCounty(pool, { fips: 33_005 }, { signal }).finally(() => {
      done = true;
    });
    const seen = new Set<string>();
    const look = async () => seen.add(JSON.stringify([...(await storedValuations(pool))]));
    // In the middle of the rows, and then until they are there.
    await expect.poll(() => lockWaits({ pool })).toBe(1);
    await look();
    await holder.query('select pg_advisory_unlock(1)');
    holder.release();
    while (!done) await look();
    await valued;
    await pool.query('drop trigger waits on valuations; drop function waits');
    const after = await storedValuations(pool);
    expect(after).not.toEqual(before);
    const whole = [before, after].map(rows => JSON.stringify([...rows]));
    expect([...seen].filter(rows => !whole.includes(rows))).toEqual([]);
  });

  test('keeps its valuations and its mark when the job fails, and when the worker stops', async () => {
    await market(300, 2_000);
    await pool.query('insert into valuations_dirty (fips) values (33005)');
    const before = await storedValuations(pool);
    await pool.query("update listings set price = 3 * price where status = 'SOLD'");
    await pool.query(`create function fail() returns trigger language plpgsql as
      $$ begin if new.property_id % 50 = 0 then raise 'no'; end if; return new; end $$`);
    await pool.query('create trigger fail before insert on valuations for each row execute function fail()');
    await expect(valueCounty(pool, { fips: 33_005 }, { signal })).rejects.toThrow('no');
    await pool.query('drop trigger fail on valuations; drop function fail');
    expect(await storedValuations(pool)).toEqual(before);

    const stopping = new AbortController();
    const stopped = valueCounty(
      pool,
      { fips: 33_005 },
      {
        signal: stopping.signal,
        progress: () => stopping.abort(new Error('the worker stops')),
      },
    );
    await expect(stopped).rejects.toThrow('the worker stops');
    expect(await storedValuations(pool)).toEqual(before);
    expect(await valuationMarks(pool)).toEqual([33_005]);
    // The connection is as good as before.
    expect(pool.pool.idleCount).toBe(pool.pool.totalCount);
    await valueCounty(pool, { fips: 33_005 }, { signal });
    expect(await storedValuations(pool)).not.toEqual(before);
    expect(await valuationMarks(pool)).toEqual([]);
  });

  test('marks exempt land, roads, and slivers as out of support, and halves their confidence', async () => {
    await market();
    type Row = { id: number; out: boolean; confidence: number; price: number };
    const read = async () =>
      (
        await pool.query<Row>(
          `select property_id as id, out_of_support as out, confidence_score as confidence, mean_adjusted_price as price
           from valuations where fips = 33005 order by property_id`,
        )
      ).rows;
    const before = await read();
    const ids = before.filter(({ out }) => !out).map(({ id }) => id);
    const uses = ['EXEMPT-MUNIC', 'RIGHT OF WAY', 'AG EXEMPT'] as const;
    for (const [i, use] of uses.entries())
      await pool.query('update parcels set land_use_code = $2 where fips = 33005 and property_id = $1', [
        ids[i],
        use,
      ]);
    await pool.query(
      'update parcel_filters set effective_acres = 0.01 where fips = 33005 and property_id = $1',
      [ids[3]],
    );
    await valueCounty(pool, { fips: 33_005, asOf: AS_OF }, { signal });
    const after = new Map((await read()).map(row => [row.id, row]));
    for (const { id, out, confidence, price } of before) {
      if (id === ids[3]) expect(after.get(id)?.out ?? true).toBe(true);
      else {
        const isUnsellable = id === ids[0] || id === ids[1];
        expect(after.get(id)).toMatchObject({ price, out: out || isUnsellable });
        expect(after.get(id)!.confidence).toBeCloseTo(isUnsellable ? confidence / 2 : confidence, 3);
      }
    }
  });

  test('without parcels to value has no valuations', async () => {
    await market();
    await pool.query('update parcel_filters set effective_acres = null where fips = 33005');
    await valueCounty(pool, { fips: 33_005 }, { signal });
    const { rows } = await pool.query('select from valuations where fips = 33005');
    expect(rows).toEqual([]);
  });
});
