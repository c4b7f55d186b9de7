import { describe, expect, test } from 'vitest';
import { startTestApi } from '../../support/api.ts';
import { compsCaller, daysAgo } from '../../support/comps.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { seed, list, ids } = await compsCaller(db, api);

describe('fields', () => {
  test('a sale with everything known', async () => {
    const [id] = await seed('10001', {
      source: 'Test MLS',
      status: 'SOLD',
      address: '12 Pond Road',
      city: 'Washington',
      state: 'NH',
      county: 'SULLIVAN CTY',
      apn: '10-12',
      location: [-721018193, 431364950],
      lotAcres: 5.25,
      price: 68_300.5,
      listedDate: '2025-01-01',
      statusDate: '2025-03-02',
      soldDate: '2025-03-01',
      saleType: 'Vacant land',
      url: 'https://listings.example/1',
      photos: ['https://listings.example/1/a,b".jpg', 'https://listings.example/1/2.jpg'],
    });
    expect((await list('zip=10001')).results).toEqual([
      {
        id,
        source: 'Test MLS',
        status: 'SOLD',
        address: '12 Pond Road',
        city: 'Washington',
        state: 'NH',
        zip: '10001',
        county: 'SULLIVAN CTY',
        apn: '10-12',
        latitude: '43.1364950',
        longitude: '-72.1018193',
        lot_size: 5.25,
        price: 68_300.5,
        sold_date: '2025-03-01T00:00:00Z',
        days_on_market: 60,
        sale_type: 'Vacant land',
        url: 'https://listings.example/1',
        photos: ['https://listings.example/1/a,b".jpg', 'https://listings.example/1/2.jpg'],
      },
    ]);
  });

  test('a listing of which nothing is known: empty texts, null numbers, price 0', async () => {
    const [id] = await seed('10002', { lotAcres: 0 });
    expect((await list('zip=10002')).results).toEqual([
      {
        id,
        ...{ source: 'test', status: 'ACTIVE', address: '', city: '', state: '', zip: '10002', county: '' },
        ...{ apn: '', latitude: '', longitude: '', lot_size: null, price: 0, sold_date: null },
        ...{ days_on_market: null, sale_type: '', url: '', photos: [] },
      },
    ]);
  });

  test('small and negative coordinates keep their seven decimals and their sign', async () => {
    await seed('10003', { location: [-5, 7] });
    expect((await list('zip=10003')).results).toMatchObject([
      { longitude: '-0.0000005', latitude: '0.0000007' },
    ]);
  });

  test('days on market: the own figure, else to the change of status, for ACTIVE to today, never negative', async () => {
    await seed(
      '10004',
      { status: 'ACTIVE', listedDate: daysAgo(12), statusDate: daysAgo(12) },
      { status: 'ACTIVE', listedDate: daysAgo(12), daysOnMarket: 3 },
      { status: 'PENDING', listedDate: daysAgo(40), statusDate: daysAgo(10) },
      { status: 'SOLD', listedDate: daysAgo(40), soldDate: daysAgo(15) },
      { status: 'SOLD', listedDate: daysAgo(5), soldDate: daysAgo(15) },
      { status: 'PENDING', statusDate: daysAgo(10) },
    );
    const { results } = await list('zip=10004');
    expect(results.map(comp => comp.days_on_market)).toEqual([12, 3, 30, 25, null, null]);
  });

  test('a listing that was sold once and is for sale again has no sold_date', async () => {
    await seed('10005', { status: 'ACTIVE', soldDate: '2020-01-01' });
    expect((await list('zip=10005')).results).toMatchObject([{ status: 'ACTIVE', sold_date: null }]);
    expect(await ids('zip=10005&age=100000')).toEqual([]);
  });

  test('what is off the market is not shown', async () => {
    const [active] = await seed('10006', { status: 'ACTIVE' }, { status: 'OFF_MARKET' });
    expect(await ids('zip=10006')).toEqual([active]);
  });
});

describe('filters', () => {
  test('each by itself; what is unknown does not match', async () => {
    const [sold, active, pending, bare] = await seed(
      '10020',
      {
        ...{ status: 'SOLD', soldDate: daysAgo(30), daysOnMarket: 10, lotAcres: 2 },
        photos: ['https://photos.example/1', 'https://photos.example/2'],
      },
      { status: 'ACTIVE', daysOnMarket: 20, lotAcres: 5, photos: ['https://photos.example/1'] },
      { status: 'PENDING', daysOnMarket: 30, lotAcres: 10 },
      {},
    );
    const all = [sold, active, pending, bare];
    const cases: [string, (string | undefined)[]][] = [
      ['', all],
      ['status=SOLD', [sold]],
      ['status=SOLD&status=PENDING', [sold, pending]],
      ['status=ACTIVE&status=ACTIVE', [active, bare]],
      ['age=30', [sold]],
      ['age=29', []],
      ['dom_min=20', [active, pending]],
      ['dom_max=20', [sold, active]],
      ['dom_min=20&dom_max=20', [active]],
      ['acres_min=5', [active, pending]],
      ['acres_max=5.0', [sold, active]],
      ['acres_min=.5&acres_max=2', [sold]],
      ['min_photos=1', [sold, active]],
      ['min_photos=0', all],
      ['min_photos=1&status=ACTIVE&acres_min=5&dom_max=20', [active]],
    ];
    for (const [parameters, expected] of cases)
      expect(await ids(`zip=10020&${parameters}`), parameters).toEqual(expected);
  });
});

test('orders: unknown last either way, a withheld price is unknown, ties by id', async () => {
  const [a, b, c, d, e] = await seed(
    '10030',
    { lotAcres: 4, price: 8_000, daysOnMarket: 5 },
    { lotAcres: 1, price: 5_000, daysOnMarket: 9 },
    { lotAcres: 4, price: 0, daysOnMarket: 5 },
    { lotAcres: null, price: 6_000 },
    { lotAcres: 1, price: 2_000, daysOnMarket: 0 },
  );
  const cases: Record<string, (string | undefined)[]> = {
    acres: [b, e, a, c, d],
    '-acres': [a, c, b, e, d],
    dom: [e, a, c, b, d],
    '-dom': [b, a, c, e, d],
    price: [e, b, d, a, c],
    '-price': [a, d, b, e, c],
    ppa: [a, e, b, c, d],
    '-ppa': [b, a, e, c, d],
  };
  for (const [order, expected] of Object.entries(cases))
    expect(await ids(`zip=10030&order=${order}`), order).toEqual(expected);
  expect(await ids('zip=10030')).toEqual([a, b, c, d, e]);
});
