import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ChangedFields, ChangeType } from '../../../shared/model/changes.ts';
import { recomputeStats } from '../../../workers/market/recompute-stats.ts';
import { valueCounty } from '../../../workers/valuation/value-county.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, type Feature, ingest, lot, one, rollFeed, writeFeatures } from '../../support/ingest.ts';
import { keepFewRegions } from '../market-support.ts';
import { listingFeed, row } from './listing-support.ts';

const { folder, pool } = await createTestDatabase({}, { regions: true });

type Recorded = {
  type: ChangeType;
  run_id: number | null;
  fips: number | null;
  property_id: number | null;
  listing_id: string | null;
  zip: string | null;
  fields: ChangedFields;
};

let seen = 0;

/** What was recorded since it was asked the last time. */
async function recorded(): Promise<Recorded[]> {
  const rows = await all<Recorded & { seq: number }>(
    pool,
    'select seq, type, run_id, fips, property_id, listing_id, zip, fields from changes where seq > $1 order by seq',
    [seen],
  );
  seen = rows.at(-1)?.seq ?? seen;
  return rows.map(({ seq: _seq, ...change }) => change);
}

const short = async () =>
  (await recorded()).map(({ type, property_id, fields: { row_version: _version, ...fields } }) => [
    type,
    property_id && property_id % 1e8,
    fields,
  ]);

const COLUMNS = {
  owner_name: 'OWNER',
  acres: 'ACRES',
  assessed_total_value: 'VALUE',
  last_sale_date: 'SOLD',
  last_sale_price: 'PRICE',
  mail_address: 'MAIL',
  mail_zip: 'MZIP',
  situs_address: 'SITUS',
  situs_zip: 'SZIP',
};

function roll(name: string, fips: string, more: Record<string, unknown> = {}) {
  const gates = { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false };
  const feed = rollFeed(folder, name, COLUMNS, { fips, gates, ...more });
  return (features: Feature[], force = false) => {
    writeFeatures(join(folder, `${name}.ndgeojson`), features);
    return ingest(pool, feed, { force });
  };
}

const NONE = { SOLD: null, PRICE: null, MAIL: null, MZIP: null, SITUS: null, SZIP: null };
const parcel = (pin: string, more: Record<string, unknown> = {}, n = Number(pin)): Feature => ({
  properties: { PIN: pin, OWNER: `OWNER ${pin}`, ACRES: 2, VALUE: 100, ...NONE, ...more },
  geometry: lot(n),
});

beforeAll(() => keepFewRegions(pool));

describe('parcels', () => {
  const merge = roll('parcels', '33019');

  test('the first roll of a county is one change, and the same again is none', async () => {
    const { runId } = await merge(['1', '2', '3', '4'].map(pin => parcel(pin)));
    expect(await recorded()).toEqual([
      {
        type: 'county.loaded',
        run_id: runId,
        fips: 33_019,
        property_id: null,
        listing_id: null,
        zip: null,
        fields: { parcels: [0, 4] },
      },
    ]);
    await merge(
      ['1', '2', '3', '4'].map(pin => parcel(pin)),
      true,
    );
    await merge(
      ['1', '2', '3', '4'].map(pin => parcel(pin)),
      true,
    );
    expect(await recorded()).toEqual([]);
  });

  test('later ones list what is new, changed, retired, and back, with earlier values', async () => {
    const { runId } = await merge([
      parcel('1', { OWNER: 'É "X"\\', VALUE: null, SOLD: '2026-01-31' }),
      // Less than is shown of acres.
      parcel('2', { ACRES: 2.00000001 }),
      parcel('3', {}, 30),
      parcel('5', { MAIL: '1 Main St', MZIP: '03280', SITUS: '1 Main St', SZIP: '03280' }),
    ]);
    const changes = await recorded();
    const of = (serial: number) => changes.filter(change => change.property_id === 3301900000000 + serial);
    expect(changes).toHaveLength(4);
    expect(of(1)).toEqual([
      {
        type: 'parcel.changed',
        run_id: runId,
        fips: 33_019,
        property_id: 3301900000001,
        listing_id: null,
        zip: null,
        fields: {
          owner_name: ['OWNER 1', 'É "X"\\'],
          assessed_total_value: [100, null],
          last_sale_date: [null, '2026-01-31'],
          row_version: [1, expect.any(Number)],
        },
      },
    ]);
    const [moved] = of(3);
    expect(Object.keys(moved!.fields)).toEqual(expect.arrayContaining(['boundary', 'point']));
    const [was, is] = moved!.fields.boundary!;
    expect([was, is]).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect(was).not.toBe(is);
    expect(of(4)).toMatchObject([{ type: 'parcel.retired', fields: {} }]);
    expect(of(5)).toMatchObject([
      {
        type: 'parcel.new',
        fields: {
          owner_name: [null, 'OWNER 5'],
          acres: [null, 2],
          calculated_acres: [null, expect.any(Number)],
          point: [null, [expect.any(Number), expect.any(Number)]],
          assessed_total_value: [null, 100],
          mail_address: [null, '1 Main St'],
          owner_occupied: [null, true],
        },
      },
    ]);
    expect(of(5)[0]!.fields).not.toHaveProperty('last_sale_date');

    await merge([
      parcel('1', { VALUE: null }),
      parcel('2'),
      parcel('3', {}, 30),
      parcel('4', { VALUE: null, ACRES: 3 }),
    ]);
    expect(await short()).toEqual(
      expect.arrayContaining([
        ['parcel.changed', 1, { owner_name: ['É "X"\\', 'OWNER 1'], last_sale_date: ['2026-01-31', null] }],
        [
          'parcel.returned',
          4,
          expect.objectContaining({
            owner_name: ['OWNER 4', 'OWNER 4'],
            acres: [2, 3],
            assessed_total_value: [100, null],
          }),
        ],
        ['parcel.retired', 5, {}],
      ]),
    );
  });

  test("another feed's first parcels in a county that already has some are new ones", async () => {
    await roll('parcels-too', '33019')([parcel('1')]);
    expect(await short()).toMatchObject([['parcel.new', 6, { owner_name: [null, 'OWNER 1'] }]]);
  });

  test('a county and its recorded sales, loaded together, are one change', async () => {
    await roll('with-sales', '33005', { sales: { label: 'roll' } })([
      { ...parcel('1', { SOLD: '2026-01-31', PRICE: 30_000 }) },
      parcel('2'),
    ]);
    expect(await short()).toEqual([['county.loaded', null, { parcels: [0, 2], listings: [0, 1] }]]);
  });

  test('row_version increases with what is shown of a parcel, on the roll and off it', async () => {
    const merge = roll('versions', '33005');
    const versions = async () =>
      all<{ n: number; version: number; filtered: number | null }>(
        pool,
        `select p.source_key::int as n, p.row_version as version, f.row_version as filtered
         from parcels p left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
         join feeds d on d.id = p.feed_id and d.name = 'versions'
         where p.fips = 33005 order by n`,
      );
    await merge(['1', '2', '3', '4'].map(pin => parcel(pin)));
    const first = await versions();
    expect(new Set(first.map(({ version }) => version)).size).toBe(1);
    expect(first.every(({ version, filtered }) => version === filtered)).toBe(true);
    const loaded = first[0]!.version;
    await recorded();
    // One changes, one changes less than is shown, and one leaves.
    await merge([parcel('1', { OWNER: 'X' }), parcel('2', { ACRES: 2.00000001 }), parcel('3'), parcel('5')]);
    const second = await versions();
    const moved = second[0]!.version;
    expect(moved).toBeGreaterThan(loaded);
    expect(second.map(({ version, filtered }) => [version, filtered])).toEqual([
      [moved, moved],
      [loaded, loaded],
      [loaded, loaded],
      [moved, null],
      [moved, moved],
    ]);
    const told = await recorded();
    expect(
      told.map(({ property_id, fields }) => [(property_id! % 1e8) - 2, fields.row_version]).sort(),
    ).toEqual([
      [1, [loaded, moved]],
      [4, undefined],
      [5, [null, moved]],
    ]);
    const order = await all<{ version: number }>(pool, 'select version from row_versions order by n');
    expect(order.map(({ version }) => version).slice(-2)).toEqual([loaded, moved]);
  });
});

describe('listings', () => {
  const feed = listingFeed(pool, folder, { snapshot: true });

  test('the first of a county are one change; later ones are listed', async () => {
    await feed.run([row('a', { fips: '23019' }), row('b', { fips: '23019' })]);
    expect(await short()).toEqual([['county.loaded', null, { listings: [0, 2] }]]);

    await feed.run([
      row('a', { fips: '23019', list_price: 45_000, days_on_market: 9 }),
      row('c', { fips: '23019', latitude: 43.1364951, longitude: -72.1018193, url: 'https://l.example/1' }),
    ]);
    const { id } = await feed.stored('a');
    const changes = await recorded();
    expect(changes).toHaveLength(3);
    expect(changes.find(change => change.listing_id === id)).toMatchObject({
      type: 'listing.changed',
      fips: 23_019,
      fields: { price: [50_000, 45_000] },
    });
    expect(changes.find(({ type }) => type === 'listing.new')!.fields).toEqual({
      source: [null, feed.name],
      status: [null, 'ACTIVE'],
      address: [null, ''],
      city: [null, ''],
      state: [null, 'NH'],
      zip: [null, '03280'],
      county: [null, expect.any(String)],
      apn: [null, ''],
      latitude: [null, '43.1364951'],
      longitude: [null, '-72.1018193'],
      lot_size: [null, 2],
      price: [null, 50_000],
      sale_type: [null, ''],
      url: [null, 'https://l.example/1'],
      photos: [null, []],
    });
    expect(changes.find(({ type }) => type === 'listing.gone')!.fields).toEqual({
      status: ['ACTIVE', 'OFF_MARKET'],
    });
  });

  test('one that comes back is new, one that is sold has changed; days on market alone are no change', async () => {
    const fips = '23019';
    await feed.run([
      row('a', { fips, list_price: 45_000, days_on_market: 10 }),
      row('b', { fips }),
      row('c', {
        fips,
        latitude: 43.1364951,
        longitude: -72.1018193,
        url: 'https://l.example/1',
        status: 'SOLD',
        sold_price: 48_000,
        sold_date: '2026-02-03',
      }),
    ]);
    expect((await short()).sort()).toEqual([
      [
        'listing.changed',
        null,
        { status: ['ACTIVE', 'SOLD'], price: [50_000, 48_000], sold_date: [null, '2026-02-03T00:00:00Z'] },
      ],
      ['listing.new', null, expect.objectContaining({ status: [null, 'ACTIVE'], price: [null, 50_000] })],
    ]);
  });
});

test('statistics are listed when a figure changes, not when their date does', async () => {
  await pool.query('delete from stats_dirty');
  const feed = listingFeed(pool, folder);
  await feed.run([row('1', { fips: '33019', zip: '03280' })]);
  await recorded();
  await recomputeStats(pool, { all: true }, { asOf: '2026-03-01' });
  const first = (await recorded()).filter(({ type }) => type === 'stats.written');
  expect(first.map(({ fips, zip }) => [fips, zip])).toEqual(
    expect.arrayContaining([
      [33_019, null],
      [33_019, '03280'],
    ]),
  );
  expect(first[0]!.fields).toEqual({ as_of: [null, '2026-03-01'] });

  await recomputeStats(pool, { all: true }, { asOf: '2026-03-02' });
  expect((await recorded()).filter(({ fips }) => fips === 33_019)).toEqual([]);

  await feed.run([row('1', { fips: '33019', zip: '03280', list_price: 60_000 })]);
  await recorded();
  await recomputeStats(pool, { all: true }, { asOf: '2026-03-02' });
  const again = await recorded();
  expect(again).toHaveLength(2);
  const county = again.find(({ zip }) => zip === null)!;
  expect(county).toMatchObject({ type: 'stats.written', run_id: null, fips: 33_019 });
  expect(county.fields).toMatchObject({ '2 acre-5 acre / Median Active Price': [50_000, 60_000] });
  expect(county.fields).not.toHaveProperty('2 acre-5 acre / Active');
});

test('a value that moved by more than a twentieth is listed', async () => {
  await one(pool, 'select count(*) from parcels where fips = 33019 and retired_at is null');
  const asOf = '2026-06-30';
  const sales = listingFeed(pool, folder);
  const sale = (n: number, price: number) =>
    row(`s${n}`, {
      status: 'SOLD',
      latitude: 43.2 + n / 1000,
      longitude: -72.15 + n / 1000,
      sold_price: price,
      sold_date: '2026-05-01',
    });
  const market = (level: number) => Array.from({ length: 12 }, (_, n) => sale(n, (20_000 + 100 * n) * level));
  const value = () => valueCounty(pool, { fips: 33_019, asOf }, { signal: new AbortController().signal });
  await sales.run(market(1));
  await value();
  await recorded();
  await sales.run(market(1.01));
  await value();
  expect((await recorded()).filter(({ type }) => type === 'valuation.moved')).toEqual([]);
  await sales.run(market(1.5));
  const before = await all(pool, 'select property_id from valuations where fips = 33019');
  await value();
  const moved = (await recorded()).filter(({ type }) => type === 'valuation.moved');
  expect(moved.length).toBe(before.length);
  expect(moved.length).toBeGreaterThan(2);
  for (const { fields, property_id, run_id } of moved) {
    const [was, is] = fields.mean_adjusted_price as [number, number];
    expect(is / was).toBeGreaterThan(1.3);
    expect(run_id).toBeNull();
    const stored = await one<{ price: number }>(
      pool,
      'select round(mean_adjusted_price::numeric, 2)::float8 as price from valuations where property_id = $1',
      [property_id],
    );
    expect(is).toBeCloseTo(stored.price, 1);
  }
});
