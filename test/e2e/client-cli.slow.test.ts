import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../support/api.ts';
import { clientCli, startCuttingProxy } from '../support/client-cli.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeExports } from '../support/exports.ts';
import { testFolder } from '../support/folder.ts';
import { makeChanges } from '../support/webhooks.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);
const folder = testFolder();
const { run, start } = clientCli(folder, { PLAT_URL: api.url, PLAT_KEY: key });

const openExports = async (accountId?: string): Promise<number> => {
  const { rows } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n from exports where state = 'queued' and ($1::uuid is null or account_id = $1)`,
    [accountId ?? null],
  );
  return rows[0]!.n;
};

/** Runs `pull`, and the worker's part as soon as the export is ordered. */
async function pull(args: string[], env: Record<string, string> = {}) {
  const { finished } = start(['pull', ...args], env);
  let isOver = false;
  const result = finished.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    if ((await openExports()) > 0) await makeExports(db);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return result;
}

test('count prints the number of parcels and their price', async () => {
  const { code, out } = await run(['count', 'county=33019', 'acres_min=5', 'vacant_only=true', '--json']);
  expect(code).toBe(0);
  const quote = JSON.parse(out);
  expect(quote.count).toBeGreaterThan(25);
  expect(quote.tokens.export).toBe(quote.count);
  const text = await run(['count', '{"county":"33019","acres_min":5,"vacant_only":true}']);
  expect(text.out).toContain(quote.count.toLocaleString('en-US'));
  expect((await run(['count', 'zips_include=03280', 'land_use_codes=none', '--json'])).code).toBe(0);
});

test.each([
  ['no command', [], 2],
  ['an unknown command', ['fetch'], 2],
  ['an unknown option', ['count', '--all'], 2],
  ['no filter', ['count'], 2],
  ['an unknown filter', ['count', 'acreage=5'], 2],
  ['a filter without a value', ['count', 'county'], 2],
  ['a filter twice', ['count', 'county=33019', 'county=23019'], 2],
  ['JSON that is not valid', ['count', '{county}'], 2],
  ['a value that the service refuses', ['count', 'county=33019', 'acres_min=many'], 1],
  ['an unknown ending', ['pull', 'county=33019', '--out', 'parcels.shp'], 2],
  ['no file', ['pull', 'county=33019'], 2],
  ['a list and a filter', ['pull', 'county=33019', '--list', 'x', '--out', 'a.csv'], 2],
  ['a price that is no number', ['pull', 'county=33019', '--out', 'a.csv', '--most-tokens', 'few'], 2],
  ['a county and a ZIP code', ['stats', '33019', '--zip', '03280'], 2],
  ['no market', ['stats'], 2],
  ['an unknown county', ['stats', '99999'], 1],
  ['an address that is none', ['count', 'county=33019', '--url', 'localhost'], 2],
  ['a server that is not there', ['count', 'county=33019', '--url', 'http://127.0.0.1:9'], 1],
  ['a wait that is too short', ['watch', '--every', '0'], 2],
])('%s is an error', async (_, args, code) => {
  const result = await run(args);
  expect([result.code, code === 2 && args.length === 0 ? '' : result.out]).toEqual([code, '']);
});

test('a key comes from a file, and without one nothing is sent', async () => {
  writeFileSync(join(folder, 'key'), `${key}\n`);
  expect((await run(['stats', '33019', '--key-file', 'key'], { PLAT_KEY: '' })).code).toBe(0);
  const without = await run(['stats', '33019'], { PLAT_KEY: '' });
  expect([without.code, without.err.includes('PLAT_KEY')]).toEqual([2, true]);
  const wrong = await run(['stats', '33019'], { PLAT_KEY: 'plat_wrong' });
  expect([wrong.code, wrong.err.includes('plat_wrong')]).toEqual([1, false]);
});

test('stats prints a market', async () => {
  const { out } = await run(['stats', '33019', '--json']);
  const market = JSON.parse(out);
  expect(market.fips).toBe('33019');
  const lines = (await run(['stats', '33019'])).out.trim().split('\n');
  expect(lines).toHaveLength(market.stats.length + 2);
  expect(JSON.parse((await run(['stats', '--zip', '03280', '--json'])).out).type).toBe('zip');
});

test('pull writes Parquet, CSV, and GeoPackage', async () => {
  for (const name of ['parcels.parquet', 'parcels.csv', 'parcels.gpkg']) {
    const { code, err } = await pull(['county=33019', 'acres_min=20', '--out', name]);
    expect([code, err]).toEqual([0, expect.any(String)]);
  }
  const file = await asyncBufferFromFile(join(folder, 'parcels.parquet'));
  const rows = await parquetReadObjects({ file, compressors });
  const lines = readFileSync(join(folder, 'parcels.csv'), 'utf8').trim().split('\r\n');
  expect(rows.length).toBeGreaterThan(25);
  expect(lines).toHaveLength(rows.length + 1);
  expect(readFileSync(join(folder, 'parcels.gpkg')).subarray(0, 15).toString()).toBe('SQLite format 3');
  expect(existsSync(join(folder, 'parcels.csv.pull'))).toBe(false);
  expect((await run(['pull', 'county=33019', '--out', 'parcels.csv'])).code).toBe(2);
});

test('pull fails if the file costs more than it may, and keeps nothing', async () => {
  const { code, err } = await pull(['county=33019', '--out', 'dear.csv', '--most-tokens', '25'], {
    PLAT_KEY: (await newCaller(db)).key,
  });
  expect([code, err.includes('most_tokens')]).toEqual([1, true]);
  expect(['dear.csv', 'dear.csv.pull', 'dear.csv.part'].map(name => existsSync(join(folder, name)))).toEqual([
    false,
    false,
    false,
  ]);
});

const ORDER = (method: string, path: string) =>
  method === 'POST' && path.endsWith('/exports/') ? 0 : undefined;
const WAIT = (method: string, path: string) => (method === 'GET' && /exports\/.+/.test(path) ? 0 : undefined);
const FILE = (_: string, path: string) => (path.startsWith('/files/') ? 10_000 : undefined);

const partSize = () => statSync(join(folder, 'killed.csv.part'), { throwIfNoEntry: false })?.size;

test('pull is killed when it orders, waits, and downloads: no row twice, none lost, paid once', async () => {
  const { key: own, accountId } = await newCaller(db);
  const args = ['county=33019', '--out', 'killed.csv', '--columns', 'apn,acres,owner_name,situs_address'];
  for (const cut of [ORDER, WAIT, FILE]) {
    const proxy = await startCuttingProxy(api.url, cut, async () => {
      if (cut === FILE) await expect.poll(partSize).toBe(10_000);
      running.child.kill('SIGKILL');
    });
    const running = start(['pull', ...args], { PLAT_KEY: own, PLAT_URL: proxy });
    if (cut === FILE) {
      await expect.poll(() => openExports(accountId)).toBe(1);
      await makeExports(db);
    }
    expect((await running.finished).code).toBe(null);
  }
  expect(partSize()).toBe(10_000);
  const other = await run(['pull', 'county=33019', '--out', 'killed.csv'], { PLAT_KEY: own });
  expect(other.code).toBe(2);
  expect((await run(['pull', ...args], { PLAT_KEY: own })).code).toBe(0);

  const { rows } = await db.pool.query<{ rows: number }>('select rows from exports where account_id = $1', [
    accountId,
  ]);
  expect(rows).toHaveLength(1);
  const lines = readFileSync(join(folder, 'killed.csv'), 'utf8').trim().split('\r\n');
  const ids = lines.slice(1).map(line => line.split(',')[0]);
  expect([ids.length, new Set(ids).size]).toEqual([rows[0]!.rows, rows[0]!.rows]);
  expect((await usageOf(db, accountId)).tokens).toBe(rows[0]!.rows);
});

test('watch prints each change once, also after it is killed', async () => {
  const watch = ['watch', '--fips', '33019', '--types', 'parcel.changed', '--cursor', 'place.json'];
  expect(await run([...watch, '--once'])).toMatchObject({ code: 0, out: '' });
  await makeChanges(db, 33_019, 12);
  const first = await run([...watch, '--once']);
  const seqs = (out: string) =>
    out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).seq as number);
  expect(seqs(first.out)).toHaveLength(12);
  const running = start([...watch, '--every', '1']);
  await makeChanges(db, 33_019, 3);
  let out = '';
  running.child.stdout!.on('data', bytes => {
    out += bytes;
  });
  await expect.poll(() => out.split('\n').length).toBe(4);
  await expect
    .poll(() => JSON.parse(readFileSync(join(folder, 'place.json'), 'utf8')).cursor)
    .not.toBe(undefined);
  running.child.kill('SIGKILL');
  await running.finished;
  await makeChanges(db, 33_019, 2);
  const last = seqs((await run([...watch, '--once'])).out);
  expect(last.slice(-2)).toHaveLength(2);
  expect(Math.min(...seqs(out))).toBeGreaterThan(Math.max(...seqs(first.out)));
  expect((await run([...watch, '--once'])).out).toBe('');
  expect((await run(['watch', '--cursor', 'place.json', '--once'])).code).toBe(2);
});
