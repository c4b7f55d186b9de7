import { beforeAll, describe, expect, test } from 'vitest';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { exportFile, joinParts } from '../../support/exports.ts';
import { figuresOf, overlayOf, putOverlays } from '../../support/overlays.ts';
import { insertParcels, square } from '../../support/parcels.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);

const id = (n: number) => 33_019e8 + n;
const SOILS = {
  ...overlayOf('soils', ['dry', 'wet']),
  numbers: [{ name: 'rock_in', label: 'Rock', unit: 'in' }],
};

beforeAll(async () => {
  await insertParcels(
    db.pool,
    [1, 2, 3, 4].map(n => ({
      property_id: id(n),
      boundary: square(-72.1 + n * 0.01, 43.2),
      acres: 10,
      calculated_acres: 8,
    })),
  );
  await db.pool.query('update parcels set shape_hash = gen_random_uuid()');
  await db.pool.query(
    'insert into parcel_attributes (fips, property_id, shape_hash) select fips, property_id, shape_hash from parcels',
  );
  await putOverlays(
    db.pool,
    [overlayOf('zoning', ['house', 'shop'], 500), SOILS],
    [
      figuresOf(id(1), 'zoning', { house: 75, shop: 20.4 }, { nearest_ft: 0, nearest_name: 'Village' }),
      figuresOf(id(2), 'zoning', { shop: 30.1 }, { nearest_ft: 0 }),
      figuresOf(id(3), 'zoning', {}, { nearest_ft: 250.5, nearest_name: 'Village' }),
      figuresOf(id(4), 'zoning', {}),
      figuresOf(id(1), 'soils', { wet: 100 }, { numbers: { rock_in: 41.25 } }),
      figuresOf(id(3), 'soils', { dry: 60, wet: 40 }),
    ],
  );
});

const get = async (path: string) => (await api.call(`/api/public/v1/${path}`, { key })).json;

test('a parcel has the overlays that cover it', async () => {
  expect(await get(`properties/${id(1)}/`)).toMatchObject({
    overlays: {
      zoning: {
        label: 'The zoning',
        percent: 95.4,
        classes: [
          { class: 'house', percent: 75, acres: 6 },
          { class: 'shop', percent: 20.4, acres: 1.63 },
        ],
        nearest_ft: 0,
        nearest_name: 'Village',
        numbers: {},
      },
      soils: { classes: [{ class: 'wet', percent: 100, acres: 8 }], numbers: { rock_in: 41.25 } },
    },
  });
  const { overlays } = (await get(`properties/${id(4)}/`)) as { overlays: object };
  expect(overlays).toEqual({
    zoning: {
      label: 'The zoning',
      percent: 0,
      classes: [],
      nearest_ft: null,
      nearest_name: null,
      numbers: {},
    },
  });
});

test('figures of an earlier boundary are not shown', async () => {
  await db.pool.query(`update parcels set shape_hash = gen_random_uuid() where property_id = ${id(2)}`);
  expect(await get(`properties/${id(2)}/`)).toMatchObject({ overlays: {} });
});

test('the overlays of a county, with their classes and layers', async () => {
  const all = (await get('overlays/')) as { overlays: { name: string }[] };
  expect(all.overlays.map(({ name }) => name)).toEqual(['zoning', 'soils']);
  expect(all.overlays[0]).toEqual({
    ...overlayOf('zoning', ['house', 'shop'], 500),
    note: null,
    layers: [{ feed: 'overlay', merged_at: expect.any(String), fips: null, coverage: [-73, 42, -71, 44] }],
  });
  expect(await get('overlays/?fips=33019')).toEqual(all);
  expect(await get('overlays/?fips=12086')).toEqual({ overlays: [] });
});

const filter = (overlays: unknown) =>
  api.call('/api/public/v1/properties/filter/', {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ county: '33019', overlays }),
  });

describe('the filter', () => {
  test.each<[string, object[], number[]]>([
    ['in the overlay', [{ name: 'zoning' }], [1, 2]],
    ['in a class', [{ name: 'zoning', classes: ['house'] }], [1]],
    ['in one of several classes', [{ name: 'zoning', classes: ['house', 'shop'] }], [1, 2]],
    [
      'the shares of classes are added',
      [{ name: 'zoning', classes: ['house', 'shop'], percent_min: 95.4 }],
      [1],
    ],
    ['a minimum share', [{ name: 'zoning', percent_min: 30.1 }], [1, 2]],
    ['a maximum share', [{ name: 'zoning', classes: ['shop'], percent_max: 20.4 }], [1, 3, 4]],
    ['no farther', [{ name: 'zoning', distance_ft_max: 250.5 }], [1, 2, 3]],
    ['at least as far', [{ name: 'zoning', distance_ft_min: 250.5 }], [3, 4]],
    [
      'two overlays',
      [
        { name: 'zoning', percent_min: 50 },
        { name: 'soils', classes: ['wet'] },
      ],
      [1],
    ],
    [
      'the same twice',
      [
        { name: 'zoning', classes: ['house'] },
        { name: 'zoning', classes: ['shop'] },
      ],
      [1],
    ],
  ])('%s', async (_what, overlays, expected) => {
    const { status, json } = await filter(overlays);
    expect(status).toBe(200);
    const { results } = json as { results: { property_id: number }[] };
    expect(results.map(row => row.property_id)).toEqual(expected.map(id));
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown overlay', [{ name: 'sewer' }], /sewer.*zoning, soils/],
    ['an unknown class', [{ name: 'zoning', classes: ['farm'] }], /farm.*house, shop/],
    ['too far', [{ name: 'zoning', distance_ft_max: 501 }], /500/],
    ['an overlay without distances', [{ name: 'soils', distance_ft_min: 10 }], /soils/],
    ['bounds the wrong way', [{ name: 'zoning', percent_min: 60, percent_max: 50 }], /percent_max/],
    ['over 100 percent', [{ name: 'zoning', percent_min: 101 }], /100/],
    ['no name', [{ classes: ['house'] }], /name/],
    ['six', Array.from({ length: 6 }, () => ({ name: 'zoning' })), /5/],
    ['none', [], /one/],
    ['SQL', [{ name: "zoning' or true --" }], /name/],
  ])('%s is refused', async (_what, overlays, why) => {
    const { status, json } = await filter(overlays);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toMatch(why);
  });
});

describe('an export', () => {
  const columns = ['property_id', 'overlay.zoning', 'overlay.zoning.percent', 'overlay.zoning.distance_ft'];

  test('has the largest class, its share, and the distance', async () => {
    const made = await exportFile(db, api, key, { filter: { county: '33019' }, format: 'csv', columns });
    const rows = (await joinParts(made)).toString().trim().split('\r\n');
    expect(rows.map(row => row.split(',').slice(0, 4))).toEqual([
      columns,
      [`${id(1)}`, 'house', '75', '0'],
      // Its figures are for an earlier boundary.
      [`${id(2)}`, '', '', ''],
      [`${id(3)}`, '', '0', '250.5'],
      [`${id(4)}`, '', '0', ''],
    ]);
  });

  test.each([
    ['overlay.sewer', /sewer.*zoning, soils/],
    ['overlay.zoning.acres', /column/],
    ["overlay.zoning' from users --", /column/],
  ])('%s is refused', async (column, why) => {
    const { status, text } = await api.call('/api/public/v1/exports/', {
      key,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ filter: { county: '33019' }, format: 'csv', columns: [column] }),
    });
    expect(status).toBe(400);
    expect(text).toMatch(why);
  });
});
