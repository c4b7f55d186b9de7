import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allJobs } from '../../workers/all-jobs.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, insertRegions } from '../support/ingest.ts';
import { type Mirror, serveMirror } from '../support/mirror.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { eventually, startTestWorker, workerConfig } from '../support/workers.ts';

/** Bangor's county from a mirror of its publishers, added at /admin. */

const db = await createTestDatabase();
const { folder, pool } = db;
const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: folder } });
const catalogue = join(folder, 'catalogue.json');
const feeds = join(folder, 'feeds');
let mirror: Mirror;
let operator: ReturnType<typeof visitor>;

beforeAll(async () => {
  await insertRegions(pool, [{ type: 'county', code: '23019', state: 'ME', fips: 23_019 }]);
  mirror = await serveMirror(['23019'], catalogue);
  const address = `${mirror.origin}/parcels.zip`;
  const source = { place: '23019', file: 'me/penobscot', format: 'shapefile', address, terms: 'as is' };
  writeFileSync(catalogue, JSON.stringify({ from: 'a test', licence: 'CC0', sources: [source] }));
  operator = visitor(api);
  await operator.signIn(await newUser(db, { operator: true }));
});
afterAll(() => mirror.close());

const worker = (env: Record<string, string> = {}) =>
  startTestWorker(
    workerConfig(db, 'postgres', {
      ...mirror.settings,
      FEEDS_DIR: feeds,
      PLAT_DIR: join(folder, 'plat'),
      ...env,
    }),
    allJobs,
  );

/** Sends a form of the county, and opens the page that answers once nothing is under way. */
async function ask(what: 'look' | 'add', county = '23019'): Promise<string> {
  const { headers, status, text } = await operator.submit('/admin/counties', { county, do: what });
  expect([status, text]).toEqual([303, '']);
  await eventually(async () => {
    const { rows } = await pool.query(
      "select 1 from jobs where status in ('queued', 'running') and name in ('feeds.add_county', 'ingest.run')",
    );
    return rows.length === 0;
  });
  const page = await operator.open(headers.get('location')!);
  expect(page.text).not.toContain('data-open');
  return page.text;
}

const states = (text: string) => [...text.matchAll(/ data-state="(\w+)"/g)].map(match => match[1]);

test("only operators can search for counties and add them, and only from Plat's own pages", async () => {
  const customer = visitor(api);
  await customer.signIn(await newUser(db));
  expect((await customer.open('/admin/counties')).status).toBe(404);
  expect((await customer.submit('/admin/counties', { county: '23019', do: 'add' })).status).toBe(404);
  const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  expect((await operator.submit('/admin/counties', { county: '23019', do: 'add' }, foreign)).status).toBe(
    403,
  );
  expect(await all(pool, "select id from jobs where name = 'feeds.add_county'")).toEqual([]);
});

test('a county is found by name or code; an unknown one gets an error with suggestions', async () => {
  const search = async (q: string) =>
    (await operator.open(`/admin/counties?${new URLSearchParams({ q })}`)).text;
  for (const q of ['penobscot', '23019', 'Penobscot County, Maine']) {
    const text = await search(q);
    expect(text).toContain('Penobscot, ME');
    expect(text).toContain('name="county" value="23019"');
  }
  expect(await search('Penobscott ME')).toMatch(/“Penobscott ME”.*23019/s);
  expect(await search('<b>')).toContain('&lt;b>');
  expect((await operator.submit('/admin/counties', { county: '99999', do: 'look' })).status).toBe(400);
  for (const id of ['x', '0c9f3a1f-6a52-4d0e-9b60-0c9f3a1f7f11'])
    expect((await operator.open(`/admin/counties/${id}`)).status).toBe(404);
});

/** The panel of counties that aren't loaded. */
async function unloaded(): Promise<string | undefined> {
  const { text } = await operator.open('/admin');
  return /<section[^>]* id="unloaded".*?<\/table>/s.exec(text)?.[0];
}

test('a county that failed stays at /admin on one line, with its cause and a retry button', async () => {
  // Port 9 is one that fetch never asks.
  const CATALOGUE_FILE = join(folder, 'offline.json');
  writeFileSync(
    CATALOGUE_FILE,
    readFileSync(catalogue, 'utf8').replaceAll(mirror.origin, 'http://127.0.0.1:2'),
  );
  const offline = Object.entries(mirror.settings)
    .filter(([name]) => name.endsWith('_URL'))
    .map(([name, address]) => [name, address.replace(mirror.origin, 'http://localhost:2')]);
  const first = await worker({
    FEEDS_DIR: join(folder, 'away'),
    ...Object.fromEntries(offline),
    CATALOGUE_FILE,
  });
  for (const _ of [1, 2]) {
    const page = await ask('add');
    expect(states(page)).toEqual(Array(13).fill('failed'));
    expect(page).toMatch(/class="notice bad".*internet.*href="\/admin\/files"/s);
    const panel = await unloaded();
    expect(panel).toMatch(/Penobscot, ME.*internet.*name="county" value="23019".*href="\/admin\/files"/s);
    expect(panel!.match(/href="\/admin\/counties\//g)).toHaveLength(1);
  }
  await first.stop();
}, 240_000);

test('the page shows what publishers offer, adds it, follows its runs, and then says that the county is loaded', async () => {
  await worker();
  const offered = await ask('look');
  expect(states(offered)).toEqual(Array(13).fill('planned'));
  expect(offered).toMatch(/as is.*US Census Bureau, TIGER\/Line/);
  expect(offered).toMatch(/<button[^>]*>[^<]*\b13 feeds/);
  expect([existsSync(feeds), mirror.requests.length]).toEqual([false, 0]);

  const added = await ask('add');
  expect(states(added)).toEqual(Array(13).fill('merged'));
  expect(added).toMatch(/class="notice good".*href="\/admin\/runs\/\d+"[^>]*>[^<]*<\/a>: 25 rows/s);
  expect(readdirSync(feeds)).toHaveLength(13);
  expect(await unloaded()).toBeUndefined();
  const [by] = await all(pool, 'select distinct requested_by from runs');
  expect(by).toEqual({ requested_by: expect.stringContaining('@acme.example') });

  expect(states(await ask('look'))).toEqual(Array(13).fill('there'));
  expect(states(await ask('add'))).toEqual(Array(13).fill('unchanged'));
}, 240_000);

test('an unreachable source is reported with what to do; the others are loaded, and a second try adds it', async () => {
  const lonely = join(folder, 'lonely');
  const first = await worker({ FEEDS_DIR: lonely, ROADS_URL: 'http://127.0.0.1:9/roads.zip' });
  const told = await ask('add');
  expect(told).toMatch(/data-kind="roads" data-state="failed"/);
  expect(told).toMatch(/127\.0\.0\.1:9.*ROADS_URL/);
  expect(told).toMatch(/class="notice bad".*\b12 of 13 /);
  await first.stop();
  await worker({ FEEDS_DIR: lonely });
  expect(states(await ask('add')).every(state => state === 'merged' || state === 'unchanged')).toBe(true);
}, 240_000);

test('if FEEDS_DIR is read-only, the page says so and shows the feeds', async () => {
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, '23019-roads.yaml.new'), { recursive: true });
  await worker({ FEEDS_DIR: taken });
  const shown = await ask('add');
  expect(shown).toMatch(/23019-roads\.yaml [^<]*\(\w*EISDIR\)/);
  expect(shown).toMatch(/<pre[^>]*># .*\nname: 23019-roads\nkind: roads/);
  await pool.query(
    `update jobs set result = jsonb_set(result, '{notWritable}', '"EROFS"') where name = 'feeds.add_county'`,
  );
  expect(await ask('look')).not.toContain('(FEEDS_DIR)');
  const { rows } = await pool.query<{ id: string }>(
    "select id from jobs where name = 'feeds.add_county' order by queued_at desc offset 1 limit 1",
  );
  const { text } = await operator.open(`/admin/counties/${rows[0]!.id}`);
  expect(text).toMatch(/\/taken \(EROFS\).*\(FEEDS_DIR\)/);
}, 240_000);
