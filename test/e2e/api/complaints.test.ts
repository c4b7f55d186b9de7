import { beforeAll, describe, expect, test } from 'vitest';
import { insertRegions, newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertListings } from '../../support/listings.ts';
import { insertParcels } from '../../support/parcels.ts';

// What a request is told that does not fit, and what is taken although it could be read more narrowly.

const V1 = '/api/public/v1';
const SULLIVAN = 33_019e8;
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [
    { property_id: SULLIVAN + 1, acres: 3, calculated_acres: 1.99, improvement_percent: 79.0571 },
    { property_id: SULLIVAN + 2, acres: 3, calculated_acres: 2.01, improvement_percent: 79.0649 },
    { property_id: SULLIVAN + 3, acres: 12.340000000000002, improvement_percent: 79.0651 },
    {
      property_id: SULLIVAN + 4,
      calculated_acres: 5,
      tax_delinquent: false,
      tax_delinquent_year: 2015,
    },
    { property_id: SULLIVAN + 5, tax_delinquent_year: 2015 },
  ]);
});

type Answer = { status: number; json: unknown; details: Record<string, string[]> };

async function ask(path: string, body?: unknown): Promise<Answer> {
  const { status, json } = await api.call(V1 + path, {
    key,
    ...(body === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  return { status, json, details: (json as { error?: { details: Answer['details'] } }).error?.details ?? {} };
}

async function filtered(body: object): Promise<number[]> {
  const { json } = await ask('/properties/filter/', { county: '33019', ...body });
  return (json as { results: { property_id: number }[] }).results.map(row => row.property_id - SULLIVAN);
}

describe('bounds apply to the values shown', () => {
  test.each([
    [{ improvement_percent_min: 79.06, improvement_percent_max: 79.06 }, [1, 2]],
    [{ improvement_percent_min: 79.07 }, [3]],
    [{ acres_min: 12.34, acres_max: 12.34 }, [3]],
    [{ acres_mismatch: true }, [1]],
    [{ acres_mismatch: false }, [2]],
    [{ tax_delinquent_years_min: 5 }, [5]],
  ])('%j finds %j', async (body, found) => {
    expect(await filtered(body)).toEqual(found);
  });

  test('the detail shows the same values', async () => {
    const detail = async (serial: number) => (await ask(`/properties/${SULLIVAN + serial}/`)).json;
    expect(await detail(1)).toMatchObject({ improvement_percent: 79.06, acres_mismatch: true });
    expect(await detail(2)).toMatchObject({ improvement_percent: 79.06, acres_mismatch: false });
    expect(await detail(3)).toMatchObject({ acres: 12.34, effective_acres: 12.34, acres_mismatch: null });
    expect(await detail(4)).toMatchObject({ tax_delinquent_year: 2015, tax_delinquent_years: null });
  });
});

const NO_COUNTY = expect.stringMatching(/FIPS.*\b99999\b/) as string;
const NO_ZIP = expect.stringMatching(/ZIP.*\b99999\b/) as string;

describe('an unknown county or ZIP is named in the error', () => {
  test.each<[string, object | undefined, Record<string, string[]>]>([
    ['/comps/?fips=99999&zip=99999', undefined, { fips: [NO_COUNTY], zip: [NO_ZIP] }],
    ['/properties/search/?fips=99999&apn=1', undefined, { fips: [NO_COUNTY] }],
    ['/properties/filter/', { county: '99999' }, { county: [NO_COUNTY] }],
    [
      '/properties/filter/',
      { counties: ['33019', 1001, 9001], zips_include: ['99999'] },
      {
        counties: [expect.stringMatching(/^09001 .* 09120, 09140, or 09190/)],
        zips_include: [NO_ZIP],
      },
    ],
  ])('%s %j', async (path, body, details) => {
    expect(await ask(path, body)).toMatchObject({ status: 400, details });
  });

  test('with status 404 if it is in a path', async () => {
    const { status, json } = await ask('/markets-stats/09003/stats/');
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { message: expect.stringContaining('09110, 09140, or 09160') } });
  });
});

describe('errors say what is wrong', () => {
  test.each<[string, object | undefined, Record<string, string[]>]>([
    ['/comps/?point=43.18&point=-72.1', undefined, { point: [expect.stringContaining('swapped')] }],
    [
      '/comps/?polygon={"type":"Polygon","coordinates":[[[43,-72],[43.1,-72],[43,-72.1],[43,-72]]]}',
      undefined,
      { polygon: [expect.stringContaining('swapped')] },
    ],
    [
      '/properties/filter/',
      { geom_intersects: 'POINT (43.18 -72.1)' },
      { geom_intersects: [expect.stringContaining('swapped')] },
    ],
    [
      '/properties/filter/',
      { county: '33019', page_size: 5 },
      { page_size: [expect.stringContaining('?page_size=')] },
    ],
    ['/comps/?fips=33019&fips=33019', undefined, { fips: [expect.stringContaining('once')] }],
    ['/markets/', {}, { region_id: [expect.any(String)] }],
    [
      '/comps/?zip=03280&point=-72.1&point=43&dist=x',
      undefined,
      { dist: [expect.stringMatching(/number.*\b0\b/)] },
    ],
  ])('%s %j', async (path, body, details) => {
    expect(await ask(path, body)).toMatchObject({ status: 400, details });
  });

  test('no error is a raw parser message', async () => {
    for (const path of [
      '/comps/?fips=1&fips=2&zip=1&zip=2&order=x&page=a&page=b',
      '/regions/?type=x&q=1&q=2',
      '/properties/search/',
    ])
      expect(JSON.stringify((await ask(path)).details)).not.toMatch(/Invalid|Too |expected/);
  });
});

test('dist does nothing without point, null is ignored, and a state is case-insensitive', async () => {
  expect((await ask('/comps/?zip=03280&dist=99999999999')).status).toBe(200);
  expect(await filtered({ acres_mismatch: true, state: 'nh', acres_max: null, zips_exclude: null })).toEqual([
    1,
  ]);
  const regions = async (query: string) =>
    ((await ask(`/regions/?${query}`)).json as { results: { fips: string; name: string }[] }).results.map(
      one => one.name,
    );
  expect(await regions('state=nh&type=county')).toEqual(['Sullivan County']);
  expect(await regions('q=sullivan+nh&type=county')).toEqual(['Sullivan County']);
  expect(await regions('q=1001&type=county')).toEqual(['Autauga County']);
});

test("the age of comps counts back from today in UTC, whatever the date of their county's statistics", async () => {
  await db.pool.query("update region_stats set as_of = '2025-09-28' where code = '33019'");
  const listing = (id: string, soldDate: string) => ({
    id,
    status: 'SOLD' as const,
    fips: 33_019,
    zip: '03280',
    location: null,
    lotAcres: 1.0000000001,
    price: 1,
    listedDate: null,
    statusDate: null,
    soldDate,
    daysOnMarket: null,
    photos: [],
  });
  const id = (n: number) => `${String(n).repeat(8)}-1111-5111-8111-111111111111`;
  const days = ['2025-09-28', '2025-11-01', '2025-11-02', '2025-12-02', '2025-12-03'];
  await insertListings(
    db.pool,
    days.map((day, n) => listing(id(n), day)),
  );
  // In New Hampshire it is still the first of December.
  const later = await startTestApi(db, { now: () => new Date('2025-12-02T02:00:00Z') });
  const { json } = await later.call(`${V1}/comps/?fips=33019&age=30`, { key });
  expect(json).toMatchObject({ count: 2, results: [{ id: id(2), lot_size: 1 }, { id: id(3) }] });
});

test('the document describes every parameter, declares defaults only for queries, and has no bounds of the language', async () => {
  const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
    paths: Record<
      string,
      Record<string, { parameters?: { name: string; description?: string; schema: { default?: unknown } }[] }>
    >;
    components: { schemas: Record<string, { properties: Record<string, { default?: unknown }> }> };
  };
  const parameters = Object.values(document.paths).flatMap(path =>
    Object.values(path).flatMap(one => one.parameters ?? []),
  );
  expect(parameters.filter(one => !one.description).map(one => one.name)).toEqual([]);
  const comps = document.paths[`${V1}/comps/`]!.get!.parameters!;
  expect(comps.find(one => one.name === 'dist')!.schema.default).toBe(1_000);
  // Generators of clients would make a field of a body with a default required.
  expect(document.components.schemas.ParcelFilter!.properties.count_road_frontage!.default).toBeUndefined();
  expect(JSON.stringify(document)).not.toContain('9007199254740991');
});

describe('a list in another notation is refused with the right one', () => {
  test.each([
    ['/comps/?fips=33019&status[]=SOLD', 'status[]', 'status=…&status=…'],
    ['/comps/?fips=33019&status%5B0%5D=SOLD', 'status[0]', 'status=…&status=…'],
    ['/comps/?fips=33019&status=SOLD,PENDING', 'status', 'status=PENDING&status=SOLD'],
    ['/comps/?fips=33019&point=-72.1,43.18', 'point', 'point=-72.1&point=43.18'],
    ['/comps/?fips=33019&point[]=-72.1&point[]=43.18', 'point[]', 'point=…&point=…'],
    ['/search/?q=main&types[]=county', 'types[]', 'write types=…'],
    ['/search/?q=main&types=county&types=town', 'types', 'commas'],
    ['/changes/?types[]=parcel.new', 'types[]', 'types=…&types=…'],
    ['/comps/?fips[]=33019', 'fips[]', 'write fips=…'],
    ['/changes/?fips=33019&fips=23019', 'fips', 'only once'],
    ['/properties/3301900000001/?timeline[]=true', 'timeline[]', 'write timeline=…'],
    ['/comps/?fips=33019&state[]=NH', 'state[]', 'not a known query parameter'],
  ])('%s', async (path, field, form) => {
    const { status, details } = await ask(path);
    expect([status, details[field]]).toEqual([400, [expect.stringContaining(form)]]);
    if (!form.includes('&') && field.endsWith('[]')) expect(details[field]![0]).not.toContain('repeat');
  });

  test('lists that are separated by commas can also be repeated, where both are clear', async () => {
    const both = ['types=parcel.new,parcel.changed', 'types=parcel.new&types=parcel.changed'];
    for (const types of both) expect((await ask(`/changes/?${types}`)).status).toBe(200);
  });
});
