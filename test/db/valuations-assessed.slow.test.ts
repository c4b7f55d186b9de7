import { expect, test } from 'vitest';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { unpackComps } from '../../shared/model/valuation-comps-codec.ts';
import { readOpinions } from '../../workers/valuation/assessed-land.ts';
import { backtestValuations } from '../../workers/valuation/run-backtest.ts';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { all } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import { normal } from '../support/sales.ts';
import { valueMarket } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, parcelAt, saleAt } from './valuations-support.ts';

const { folder, pool } = await createTestDatabase();

const FIPS = 33_005;
const idOf = (serial: number) => FIPS * 1e8 + serial;
const assess = (rows: readonly (readonly [serial: number, day: string, value: number])[]) =>
  pool.query(
    `insert into assessed_land_values (fips, property_id, as_of, value)
     select $1, unnest($2::bigint[]), unnest($3::date[]), unnest($4::bigint[])`,
    [FIPS, rows.map(row => idOf(row[0])), rows.map(row => row[1]), rows.map(row => Math.round(row[2]))],
  );

test('a sale is paired with the newest edition of the day before it, each beside its own edition', async () => {
  await insertParcels(
    pool,
    [1, 2, 3].map(serial => parcelAt(FIPS, serial, -72, 43, 2)),
  );
  // The second edition has all values doubled, but those of parcel 3.
  await assess([
    [1, '2020-01-01', 10_000],
    [2, '2020-01-01', 40_000],
    [3, '2020-01-01', 20_000],
    [1, '2023-01-01', 20_000],
    [2, '2023-01-01', 80_000],
  ]);
  const opinion = await pool.transaction(client => readOpinions(client, FIPS));
  const at = (serial: number, day: string) => opinion(idOf(serial), dayOf(day));
  expect(at(1, '2019-12-31')).toBeNaN();
  expect(at(4, '2024-01-01')).toBeNaN();
  expect([1, 2, 3].map(serial => at(serial, '2022-12-31') / Math.LN2)).toEqual([-1, 1, 0].map(around));
  expect([1, 2, 3].map(serial => at(serial, '2023-01-01') / Math.LN2)).toEqual(
    [-2 / 3, 4 / 3, -2 / 3].map(around),
  );
  await pool.query('truncate assessed_land_values, parcels, parcel_filters');
});

const around = (value: number) => expect.closeTo(value, 6);

test('the first roll adjusts comps, also those sold before it, and improves estimates', async () => {
  const random = createRandom(5);
  const lots = Array.from({ length: 400 }, (_, i) => {
    const [lon, lat] = [-72.5 + 0.4 * random(), 43 + 0.4 * random()];
    const acres = Number(Math.exp(2 * random()).toFixed(2));
    return {
      ...parcelAt(FIPS, i + 1, lon, lat, acres),
      apn: `A${i + 1}`,
      lon,
      lat,
      acres,
      quality: normal(random),
    };
  });
  await insertParcels(
    pool,
    lots.map(({ lon: _x, lat: _y, quality: _q, ...parcel }) => parcel),
  );
  await pool.query('insert into county_serials values ($1, 1000000)', [FIPS]);
  const feed = listingFeed(pool, folder, { snapshot: false, asOf: AS_OF });
  const sold = (days: number) => new Date(Date.parse(AS_OF) - days * 864e5).toISOString().slice(0, 10);
  await feed.run(
    lots.slice(0, 380).map(({ lon, lat, acres, apn, quality }, i) => ({
      ...saleAt(
        apn,
        FIPS,
        lon,
        lat,
        acres,
        9_000 * acres ** 0.5 * Math.exp(0.5 * quality + 0.2 * normal(random)),
        // Ten on the same day, so that a few fits value many sales.
        sold(30 * Math.floor(i / 10)),
      ),
      apn,
    })),
  );
  const options = { fromDay: dayOf(AS_OF) - 130, toDay: dayOf(AS_OF) };
  const mdape = async () => {
    await valueMarket(pool, { asOf: AS_OF });
    return (await backtestValuations(pool, options)).methods.model!.mdape;
  };
  const without = await mdape();
  // Parcel 400 was never assessed.
  await assess(
    lots
      .slice(0, 399)
      .map(({ quality, acres }, i) => [i + 1, sold(400), 5_000 * acres ** 0.6 * Math.exp(0.5 * quality)]),
  );
  expect(await mdape()).toBeLessThan(0.9 * without);
  const stored = await all<{ id: number; comps: Buffer }>(
    pool,
    'select property_id as id, comps from valuations where property_id in ($1, $2) order by 1',
    [idOf(399), idOf(400)],
  );
  const [known, never] = stored.map(({ comps }) => unpackComps(comps).map(comp => comp.landPercent));
  expect(known!.every(percent => percent !== null)).toBe(true);
  expect(never!.every(percent => percent === null)).toBe(true);
});
