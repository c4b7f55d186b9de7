import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import type { RegionStats } from '../../shared/model/market-stats.ts';
import { packStats } from '../../shared/model/stats-codec.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { ingestSample } from '../support/sample.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);

type Bucket = NonNullable<RegionStats['buckets'][number]>;

beforeAll(async () => {
  await ana.signIn(await newUser(db));
  // A second county, with the lots of Sullivan at twice the price, and few of them.
  const { rows } = await db.pool.query<{ body: string }>(
    "select convert_from(body, 'UTF8') as body from region_stats where type = 'county' and code = '33019'",
  );
  const { stats } = JSON.parse(rows[0]!.body) as { stats: (Bucket & { type: string })[] };
  const buckets = ACRE_BUCKETS.map(({ label }) => {
    const own = stats.find(({ type }) => type === label);
    return own ? { ...own, data: { ...own.data, 'Sold: 1yr': 2, '1yr STR': 250 } } : null;
  });
  await db.pool.query(
    "update region_stats set listings = 9, figures = $1 where type = 'county' and code = '23019'",
    [packStats({ asOf: '2025-09-28', buckets })],
  );
});

/** The text of a page as it is read. */
const textOf = async (path: string) => {
  const { status, text } = await ana.open(path);
  expect(status).toBe(200);
  return text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
};

test('counties are ranked by a statistic; those with too few lots for it come last, without a value', async () => {
  const page = await textOf('/markets');
  expect(page).toMatch(/2 counties with lots of this size/);
  expect(page).toMatch(/1 Sullivan, NH \$30,634 13 34\.2%/);
  expect(page).toMatch(/– Penobscot, ME – 2 250%/);
  expect(page).toMatch(/\b5 lots/);
  // A rate stands by itself, and over 100 % it is explained.
  const byRate = await textOf('/markets?metric=1yr%20STR');
  expect(byRate).toMatch(/1 Penobscot, ME 250% 2 2 Sullivan, NH 34\.2% 13/);
  expect(byRate).toMatch(/\b100%/);
  expect(byRate).toMatch(/ 250% 1 250% .*\b1\b/);
  expect(await textOf('/markets?metric=1yr%20STR&sort=name')).toMatch(/1 Penobscot, ME .* 2 Sullivan, NH/);
  expect(await textOf('/markets?state=ME')).not.toContain('Sullivan, NH $30,634');
  const { text } = await ana.open('/markets/values.json?metric=1yr%20STR');
  expect(JSON.parse(text)).toEqual([
    expect.objectContaining({ fips: 23_019, name: 'Penobscot, ME', class: 1 }),
    expect.objectContaining({ fips: 33_019, name: 'Sullivan, NH', class: 0 }),
  ]);
});

test('counties are ranked by their facts, and a market shows its county', async () => {
  // Real figures from the sample's file of county facts.
  await ingestSample(db.pool, 'county-facts');
  const { text } = await ana.open('/markets/values.json?metric=household_income');
  const ofSample = JSON.parse(text).filter(({ fips }: { fips: number }) => [23_019, 33_019].includes(fips));
  expect(JSON.parse(text).length).toBeGreaterThan(3000);
  expect(ofSample).toEqual([
    expect.objectContaining({ fips: 23_019, shown: expect.stringMatching(/^\$56,261 /) }),
    expect.objectContaining({ fips: 33_019, shown: expect.stringMatching(/^\$64,919 /) }),
  ]);
  // Counties without lots of this size are ranked too.
  expect(await textOf('/markets?metric=population')).toMatch(
    / 1 Los Angeles, CA 9,\d{3},\d{3} – – 2 Cook, IL /,
  );
  expect(await textOf('/markets?metric=population&state=NH')).toMatch(
    / 10 counties .* \d Sullivan, NH 43,969 13 34\.2%/,
  );
  for (const path of ['/markets/33019', '/markets/zip/03280']) {
    const { text: market } = await ana.open(path);
    const facts = [...market.matchAll(/data-fact="(\w+)".*?<dd>([^<]+)<\/dd><dd class="note">([^<]+)/gs)];
    expect(Object.fromEntries(facts.map(([, key, value, note]) => [key, `${value} ${note}`]))).toEqual({
      population: '43,969 2023',
      population_growth: '0.7% 2020 to 2023',
      household_income: '$64,919 2021',
      housing_permits: '97 2023',
      permits_per_1000: '2.2 2023',
      metro_miles: expect.stringMatching(/^\d+ mi Hillsborough, NH$/),
    });
  }
  // So does a county without sales, and a comparison of counties.
  expect((await ana.open('/markets/48257')).text).toContain('data-fact="population_growth"');
  const compared = await textOf('/markets/33019?with=48257&with=03280');
  expect(compared).toMatch(/ Population 43,969 1\d\d,\d{3} – /);
  // ZIP codes have no facts of their own.
  expect((await ana.open('/markets?type=zip&state=NH&metric=population')).text).not.toContain('43,969');
});

test('the ZIP codes of a state or a county link to their pages', async () => {
  for (const query of ['state=NH', 'county=33019']) {
    const { text } = await ana.open(`/markets?type=zip&${query}`);
    expect(text).toContain('href="/markets/zip/03280"');
  }
  expect((await ana.open('/markets/zip/03280')).status).toBe(200);
  expect((await ana.open('/markets?type=zip&state=ME')).text).not.toContain('href="/markets/zip/');
});

test('the table can be downloaded', async () => {
  const { text, headers } = await ana.open('/markets/export.csv?metric=1yr%20STR');
  expect(headers.get('content-disposition')).toContain('plat-markets-county.csv');
  expect(text.trim().split('\r\n').slice(0, 2)).toEqual([
    'fips,name,state,bucket,1yr STR,Sold: 1yr,Active',
    '23019,Penobscot,ME,0.2 acre-100 acre,250,2,38',
  ]);
});

test('no cell of a downloaded file is a formula to a spreadsheet', async () => {
  const rename = (name: string) =>
    db.pool.query("update regions set name = $1 where type = 'county' and code = '23019'", [name]);
  onTestFinished(async () => {
    await rename('Penobscot');
  });
  for (const name of ['＝1+1', '＋1', '－A1', '＠SUM(A1)', '+1+1', '-A1']) {
    await rename(name);
    const { text } = await ana.open('/markets/export.csv?metric=1yr%20STR');
    expect(text).toContain(`\r\n23019,'${name},ME,`);
  }
});

test('a saved market shows its figures, and keeps the search when its label changes', async () => {
  const { rows } = await db.pool.query<{ id: string }>(
    "select id from regions where (type, code) in (('county', '33019'), ('zip', '03280')) order by type",
  );
  for (const { id } of rows) await ana.submit('/markets', { region_id: id, status: 'Watching' });
  const page = await textOf('/markets');
  expect(page).toMatch(/Sullivan, NH Watching \$30,634 ▲ 54\.4% .*\b34\.2% .*\b38 /);
  expect(page).toMatch(/03280 \(Sullivan, NH\) Watching/);
  const path = '/markets?bucket=80%20acre-500%20acre';
  expect(await textOf(path)).toMatch(/Sullivan, NH Watching (–|\$[\d,]+|[^\d]*size)/);
  const changed = await ana.submit(path, { region_id: rows[0]!.id, status: 'Buying' });
  expect([changed.status, changed.headers.get('location')]).toEqual([303, path]);
  expect(await textOf('/markets')).toContain('Buying');
});
