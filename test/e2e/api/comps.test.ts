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
