import { beforeEach, describe, expect, test } from 'vitest';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { LAND_TERMS, writeLandTerms } from '../../shared/kernels/valuation/land-effects.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { unpackComps } from '../../shared/model/valuation-comps-codec.ts';
import { statement } from '../../shared/platform/statements.ts';
import { readComps } from '../../workers/valuation/valuation-comps.ts';
import { createRandom, type Random } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { markParcels, putLayer } from '../support/land.ts';
import { insertParcels, square, type TestParcel } from '../support/parcels.ts';
import { fitTo } from '../support/sales.ts';
import { refresh, storedValuations, valuationMarks, valueMarket } from '../support/valuations.ts';
import { COUNTY, EVERYWHERE, insertLots, LAT, LON, settle } from './attributes-support.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, clearMarket, type SaleRow, saleAt } from './valuations-support.ts';

const { folder, pool } = await createTestDatabase();

const FIPS = 33_005;
const [WEST, SOUTH] = [-72.5, 43];
const listings = () => listingFeed(pool, folder, { snapshot: false, asOf: AS_OF });

beforeEach(async () => {
  await clearMarket(pool);
  await pool.query('truncate parcel_attributes, attributes_dirty, land_layers, layer_features');
});

type Lot = TestParcel & { lon: number; lat: number; apn: string; flood_zone_percent: number };

function randomLot(random: Random, serial: number): Lot {
  const [lon, lat] = [WEST + 0.6 * random(), SOUTH + 0.6 * random()];
  return {
    property_id: FIPS * 1e8 + serial,
    lon,
    lat,
    boundary: square(lon, lat, 0.0002),
    apn: `0${serial}-00${serial}`,
    acres: Number(Math.exp(3 * random()).toFixed(2)),
    flood_zone_percent: random() < 0.4 ? 100 : 0,
  };
}

/** The sale of a lot at a price that its flood zone has lowered to a share of what it would be. */
function saleOf(random: Random, lot: Lot, share: number): SaleRow {
  const { lon, lat, apn, acres, flood_zone_percent } = lot;
  const dry = 9_000 * (acres as number) ** 0.4 * Math.exp(0.5 * (random() - 0.5));
  const price = flood_zone_percent > 0 ? share * dry : dry;
  return { ...saleAt(`of ${apn}`, FIPS, lon, lat, acres as number, price), apn: apn.replace('-', ' ') };
}

/** As the chunks of a layer leave it. */
async function knowLand(lots: readonly Lot[]): Promise<void> {
  await pool.query(
    `insert into parcel_attributes (fips, property_id, shape_hash)
     select fips, property_id, gen_random_uuid() from parcel_filters where property_id = any ($1)`,
    [lots.map(lot => lot.property_id)],
  );
}

/** One county, all of whose parcels were sold once; fitted and valued. */
async function market({ share = 0.3, parcels = 500 } = {}) {
  const random = createRandom(3);
  const lots = Array.from({ length: parcels }, (_, i) => randomLot(random, i + 1));
  await insertParcels(pool, lots);
  await knowLand(lots);
  await pool.query('insert into county_serials values ($1, 1000000)', [FIPS]);
  const feed = listings();
  await feed.run(lots.map(lot => saleOf(random, lot, share)));
  await valueMarket(pool, { asOf: AS_OF });
  return { feed, lots, random };
}

async function linked(): Promise<Map<string, { parcel: number; flood: number | null }>> {
  const { rows } = await pool.query<{ id: string; parcel: number; flood: number | null }>(
    `select l.source_id as id, c.property_id % 100000000 as parcel, c.flood_percent as flood
     from comp_land c join listings l on l.id = c.listing_id order by 1`,
  );
  return new Map(rows.map(({ id, parcel, flood }) => [id, { parcel: Number(parcel), flood }]));
}

async function estimates(): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ id: number; price: number }>(
    'select property_id as id, mean_adjusted_price as price from valuations order by property_id',
  );
  return new Map(rows.map(({ id, price }) => [id, price]));
}

async function landPercents(): Promise<(number | null)[]> {
  const { rows } = await pool.query<{ comps: Buffer }>('select comps from valuations');
  return rows.flatMap(({ comps }) => unpackComps(comps).map(comp => comp.landPercent));
}

const changed = (a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>) =>
  [...b].filter(([id, row]) => a.get(id) !== row).map(([id]) => id);

async function flood(ids: readonly number[], percent: number): Promise<void> {
  await pool.query('update parcel_filters set flood_zone_percent = $2 where property_id = any ($1)', [
    ids,
    percent,
  ]);
  await pool.query(statement('valuation/mark_land', { fips: FIPS }));
}

describe('a comp is linked to the parcel', () => {
  const at = (serial: number, lon: number, apn: string): Lot => ({
    property_id: FIPS * 1e8 + serial,
    lon,
    lat: SOUTH,
    boundary: square(lon, SOUTH, 0.001),
    apn,
    acres: 3,
    flood_zone_percent: serial,
  });
  const saleOn = (id: string, lon: number, apn = '') => ({
    ...saleAt(id, FIPS, lon, SOUTH, 3, 40_000),
    apn,
  });
  /** As if the comps' feed were the roll that has the parcel of that serial. */
  const giveKey = (serial: number, key: string) =>
    pool.query(
      'update parcels set feed_id = (select min(feed_id) from listings), source_key = $2 where property_id = $1',
      [FIPS * 1e8 + serial, key],
    );

  test('with its key in the roll, with its number, or around its point, and to no other', async () => {
    const lots = [
      at(1, WEST, '12-1'),
      at(2, WEST + 0.01, '12-2'),
      at(3, WEST + 0.02, 'X'),
      at(4, WEST + 0.03, 'X'),
    ];
    await insertParcels(pool, lots);
    // Its figures are not known.
    await insertParcels(pool, [{ property_id: FIPS * 1e8 + 5, boundary: square(WEST + 0.04, SOUTH, 0.001) }]);
    await knowLand(lots);
    await pool.query('insert into county_serials values ($1, 100)', [FIPS]);
    const feed = listings();
    await feed.run([
      saleOn('33005/a/b/2026-01-15', WEST + 0.5),
      saleOn('number', WEST + 0.5, '1 2.2'),
      saleOn('point', WEST + 0.0104, ''),
      saleOn('shared number', WEST + 0.0301, 'X'),
      saleOn('beside', WEST + 0.0106, ''),
      saleOn('unknown', WEST + 0.04, ''),
      // So that a few that change are not the market.
      ...Array.from({ length: 100 }, (_, i) => saleOn(`far ${i}`, WEST + 0.6 + i * 0.01)),
    ]);
    await giveKey(1, 'a/b');
    await valueMarket(pool, { asOf: AS_OF });
    expect(Object.fromEntries(await linked())).toEqual({
      '33005/a/b/2026-01-15': { parcel: 1, flood: 1 },
      number: { parcel: 2, flood: 2 },
      point: { parcel: 2, flood: 2 },
      'shared number': { parcel: 4, flood: 4 },
    });

    // A new number is another parcel, a place off every lot none.
    await feed.run([saleOn('number', WEST + 0.5, '12-1'), saleOn('point', WEST + 0.0106)]);
    await refresh(pool);
    expect((await linked()).get('number')).toEqual({ parcel: 1, flood: 1 });
    expect((await linked()).has('point')).toBe(false);
  });

  test('unless that was split or merged since: its acreage is more than 5 % off what was sold', async () => {
    const lots = [at(1, WEST, '12-1'), at(2, WEST + 0.01, '12-2'), at(3, WEST + 0.02, '12-3')];
    await insertParcels(pool, lots);
    await knowLand(lots);
    await pool.query('insert into county_serials values ($1, 100)', [FIPS]);
    // Of 3 acres today.
    const same = [3, 2.86, 3.15, null];
    const other = [2.85, 3.17, 6, 1];
    const sales = (acres: number | null, day: number) =>
      [
        saleOn(`33005/a/2026-01-1${day}`, WEST + 0.5),
        saleOn(`number ${acres}`, WEST + 0.5, '12-2'),
        saleOn(`point ${acres}`, WEST + 0.02),
      ].map(sale => ({ ...sale, lot_acres: acres }));
    const feed = listings();
    await feed.run([...same, ...other].flatMap(sales));
    await giveKey(1, 'a');
    await valueMarket(pool, { asOf: AS_OF });
    const named = same.flatMap((acres, day) => sales(acres, day)).map(({ source_id }) => source_id);
    expect([...(await linked()).keys()].sort()).toEqual(named.sort());

    // The lot is split, and the next measuring finds other figures on what is left.
    await pool.query('update parcel_filters set effective_acres = 1.5 where property_id = any ($1)', [
      lots.map(lot => lot.property_id),
    ]);
    for (const lot of lots) await flood([lot.property_id], 50);
    await refresh(pool);
    expect([...(await linked()).keys()].sort()).toEqual(named.filter(id => /null|-13$/.test(id)).sort());
  });
});

describe('when sales show the effect of a flood zone', () => {
  test('parcels are valued as the kernel values them, and comps show their adjustments', async () => {
    const { lots } = await market();
    const comps = await pool.transaction(client => readComps(client));
    const { model } = fitTo(comps, dayOf(AS_OF), FIPS);
    const { land } = model.effects;
    expect(Math.abs(land!.effects[2]! / Math.log(0.3) - 1)).toBeLessThan(0.1);
    expect([0, 1, 3].map(k => land!.effects[k])).toEqual([0, 0, 0]);
    const value = createValuer(model);
    const { rows } = await pool.query<{ id: number; lon: number; lat: number; acres: number; flood: number }>(
      `select property_id as id, location[0] / 1e7 as lon, location[1] / 1e7 as lat, effective_acres as acres,
       flood_zone_percent as flood from parcel_filters order by 1`,
    );
    const unknown = { steepPercent: Number.NaN, frontageFt: Number.NaN, wetlandsPercent: Number.NaN };
    const expected = rows.map(({ id, flood: floodPercent, ...place }): [number, number] => [
      id,
      value({
        ...place,
        land: writeLandTerms({ ...unknown, floodPercent }, new Float64Array(LAND_TERMS)),
      })!.meanAdjustedPrice,
    ]);
    expect([...(await estimates())]).toEqual(expected);

    const moves = await landPercents();
    const near = (percent: number) =>
      moves.filter(one => one !== null && Math.abs(one - percent) < 15).length;
    // Dry to wet a third, wet to dry three times, the others not at all.
    expect(
      near(0) + near(-70) + near(100 * (1 / 0.3 - 1)) + moves.filter(one => one! > 150).length,
    ).toBeGreaterThanOrEqual(moves.length);
    expect(near(-70)).toBeGreaterThan(lots.length);
  });

  test('stored land figures of a comp follow its parcel, and the valuations of its county are refreshed', async () => {
    const { lots, feed, random } = await market();
    const before = await storedValuations(pool);
    await flood([lots[0]!.property_id], lots[0]!.flood_zone_percent > 0 ? 0 : 100);
    expect(await refresh(pool)).toEqual([FIPS]);
    expect(changed(before, await storedValuations(pool)).length).toBeGreaterThan(1);
    // A sale brings its land along: for that it is no outlier.
    const late = { ...randomLot(random, 9_000), flood_zone_percent: 100 };
    await insertParcels(pool, [late]);
    await knowLand([late]);
    await feed.run([saleOf(random, late, 0.3)]);
    await refresh(pool);
    expect((await linked()).get(`of ${late.apn}`)).toEqual({ parcel: 9_000, flood: 100 });
    await flood(
      lots.map(lot => lot.property_id),
      50,
    );
    await refresh(pool);
    expect(new Set([...(await linked()).values()].map(one => one.flood))).toEqual(new Set([50, 100]));
    expect(await valuationMarks(pool)).toEqual([]);
  });
});

test('when sales show no effect, no comp is adjusted', async () => {
  const { lots } = await market({ share: 1 });
  expect(new Set(await landPercents())).toEqual(new Set([null]));
  await flood([lots[1]!.property_id], 70);
  await refresh(pool);
  expect((await linked()).get(`of ${lots[1]!.apn}`)!.flood).toBe(70);
});

test('the last chunk of a county that finds other land has valuations refreshed', async () => {
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  await insertLots(pool, range(0, 60));
  await putLayer(pool, 'flood', {
    coverage: EVERYWHERE,
    features: [{ class: 'AE', shape: square(LON, LAT, 1) }],
  });
  await markParcels(pool, ['flood'], [COUNTY + 1, COUNTY + 2]);
  await settle(pool);
  const jobs = async () =>
    (await pool.query<{ name: string }>("select name from jobs where name <> 'attributes.chunk'")).rows;
  expect(await valuationMarks(pool)).toEqual([Math.floor(COUNTY / 1e8)]);
  expect(await jobs()).toEqual([{ name: 'valuation.county' }]);
  // The same figures again are nothing to be valued for.
  await pool.query('truncate valuations_dirty, jobs');
  await markParcels(pool, ['flood'], [COUNTY + 1, COUNTY + 2]);
  await settle(pool);
  expect(await valuationMarks(pool)).toEqual([]);
  expect(await jobs()).toEqual([]);
});

test('lots on a shore are worth more where their sales show it', async () => {
  const { lots } = await market({ share: 1, parcels: 300 });
  const onShore = lots.filter((_, i) => i % 5 === 0).map(lot => lot.property_id);
  const before = await estimates();
  await pool.query('update parcel_filters set waterfront = property_id = any ($1)', [onShore]);
  await pool.query(
    `update listings set price = 3 * price
     where id in (select listing_id from comp_land where property_id = any ($1))`,
    [onShore],
  );
  await pool.query(statement('valuation/mark_land', { fips: FIPS }));
  await refresh(pool);
  const comps = await pool.transaction(client => readComps(client));
  expect(comps.shore.filter(flag => flag === 1).length).toBe(60);
  expect(comps.shore.filter(flag => flag === 0).length).toBe(240);
  const after = await estimates();
  const ratio = (ids: readonly number[]) =>
    Math.exp(ids.reduce((sum, id) => sum + Math.log(after.get(id)! / before.get(id)!), 0) / ids.length);
  expect(ratio(onShore)).toBeGreaterThan(2);
  expect(ratio(onShore)).toBeLessThan(3.5);
  const others = lots.map(lot => lot.property_id).filter(id => !onShore.includes(id));
  expect(ratio(others)).toBeGreaterThan(0.85);
  expect(ratio(others)).toBeLessThan(1.2);
});
