import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { startWorker } from '../../workers/start-worker.ts';
import { createTestDatabase } from '../support/database.ts';
import { serve } from '../support/http-server.ts';
import { runCommand } from '../support/plat.ts';
import { eventually } from '../support/workers.ts';

const db = await createTestDatabase({}, { regions: true });
const { folder } = db;
const env = {
  DATABASE_URL: db.url,
  FEEDS_DIR: join(folder),
  PLAT_DIR: join(folder, 'plat'),
  SAMPLE_FEEDS: '1',
  REDIS_URL: '',
};
let stopWorker = async () => {};

/** 200 lots, or the first of them. */
const roll = (rows: number) =>
  ['ID,ACRES', ...Array.from({ length: rows }, (_, i) => `${i + 1},${i % 2 ? 'ten' : 10}`)].join('\n');
const goodRoll = (rows: number) => roll(rows).replaceAll('ten', '20');

beforeAll(async () => {
  writeFileSync(join(folder, 'roll.csv'), goodRoll(200));
  writeFileSync(join(folder, 'half.csv'), goodRoll(100));
  writeFileSync(join(folder, 'wrong.csv'), roll(20));
  writeFileSync(
    join(folder, 'lots.yaml'),
    `name: lots
kind: assessor
title: Lots of a test
fips: "33019"
schedule: { cron: "0 4 * * *", timezone: America/New_York }
roll:
  source: ./roll.csv
  format: csv
  key: { columns: [ID] }
  columns: { apn: ID, acres: ACRES }
`,
  );
  const config = loadConfig({ LOG_LEVEL: 'silent', ...env });
  const worker = await startWorker(config, createLogger(config, 'test'), allJobs);
  stopWorker = worker.stop;
});

afterAll(() => stopWorker());

const plat = (...argv: string[]) => runCommand(env, argv);

/** A command with --json: one document on standard output, whatever goes to the other. */
async function json(...argv: string[]) {
  const { code, out } = await plat(...argv, '--json');
  return { code, value: JSON.parse(out) };
}

describe('usage errors and missing things: exit code 2', () => {
  test.each<[string[], string | RegExp]>([
    [[], 'Usage: plat'],
    [['feed', 'run'], "'name'"],
    [['runs', '--bogus'], "'--bogus'"],
    [['runs', '--limit', 'many'], /'many'.* number/],
    [['runs', 'show', 'abc'], /'abc'.* number/],
    [['runs', 'show', '999'], /\b999\b.*`plat runs`/],
    [['runs', '--feed', 'nowhere'], /feed.*\bnowhere\b/],
    [['feed', 'remove', 'nowhere'], /layer.*\bnowhere\b/],
    [['feed', 'run', 'nowhere'], /\bnowhere\b.*bangor-me, bangor-me-elevation, /s],
    [
      ['feed', 'run', 'bangor-me-elevation', '--layer', 'x.geojson'],
      /bangor-me-elevation .*\bkind elevation\b.*--elevation, .*--layer/,
    ],
    [
      ['feed', 'run', 'bangor-me-wetlands', '--elevation', 'x.tif', '--roll', 'x.csv'],
      /\bkind wetlands\b.*--layer, .*--roll and --elevation/,
    ],
    [['feed', 'run', 'washington-nh-listings', '--roll', 'x.csv'], /\bkind listings\b.*--listings, .*--roll/],
    [
      ['feed', 'run', 'washington-nh', '--listings', 'x.csv'],
      /\bkind assessor\b.*--roll and --shape, .*--listings/,
    ],
    [['feed', 'run', 'bangor-me', '--shape', 'x.shp'], /\bkind assessor .*`shape`.*--roll, .*--shape/],
    [['feed', 'suggest', 'roll.csv', '--name', 'a_b'], /'a_b'.* a-b\b/],
    [['feed', 'check', 'nowhere'], /feed.*\bnowhere\b/],
    [['feed', 'check', '/nowhere/feed.yaml'], /\/nowhere\/feed\.yaml .*\(ENOENT\)/],
    [['recompute', 'stats'], '--fips, --zip, and --all'],
    [['recompute', 'stats', '--fips', '33019', '--all'], '--fips, --zip, and --all'],
    [['recompute', 'stats', '--fips', 'Sullivan'], /'Sullivan'.*FIPS/],
    [['recompute', 'stats', '--fips', '99999'], /FIPS.*\b99999\b/],
    [['recompute', 'stats', '--zip', '0328'], /'0328'.*ZIP/],
    [['recompute', 'stats', '--zip', '00000'], /ZIP code 00000/],
    [['recompute', 'stats', '--all', '--as-of', '2025-02-30'], 'YYYY-MM-DD'],
    [['recompute', 'stats', '--all', '--as-of', '2130-01-01'], /'2130-01-01'.* 20\d\d-/],
    [['recompute', 'valuations', '--all', '--as-of', '2130-01-01'], /'2130-01-01'.* 20\d\d-/],
    [['recompute', 'attributes'], '--fips and --all'],
    [['recompute', 'attributes', '--fips', '33019', '--all'], '--fips and --all'],
    [['recompute', 'attributes', '--all', '--layer', 'trees'], /'trees'.* elevation, roads/],
    [['recompute', 'attributes', '--fips', '99999'], /FIPS.*\b99999\b/],
    [['county', 'add', '33019', '--wait'], /--wait .*--run/],
    [['county', 'add', '09013'], ' 09110 (Capitol), 09150 (Northeastern Connecticut)'],
    [['account', 'create', 'x', '--tier', 'gold'], 'tier "gold"'],
    [['key', 'create', 'nobody'], 'account "nobody"'],
    [['key', 'create', 'x', '--scope', 'api:all'], /'api:all'.* api:direct/],
    [['key', 'revoke', 'plat_unknown'], /\bkey\b/],
  ])('plat %j', async (argv, message) => {
    const { code, out, err } = await plat(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^ {4}at /m);
  });
});

test('migrate updates the schema and loads the regions; again it changes nothing', async () => {
  await db.pool.query("update regions set name = 'Soolivan' where type = 'county' and code = '33019'");
  expect(await json('migrate')).toMatchObject({
    code: 0,
    value: { applied: [], regions: { counties: 3233, changed: 1 } },
  });
  const again = await plat('migrate');
  expect(again.out).toMatch(/\b3,233 counties, 4\d,\d{3} ZIP codes\.\n$/);
});

describe('feeds', () => {
  test('list', async () => {
    const { out } = await plat('feed', 'list');
    expect(out).toMatch(/^name +kind +schedule +as_of +title\n/);
    expect(out).toMatch(/^lots +assessor +0 4 \* \* \* America\/New_York +Lots of a test$/m);
    const { value } = await json('feed', 'list');
    expect(value.map((feed: { name: string }) => feed.name)).toContain('washington-nh');
  });

  test('a faulty file: the others are listed and run, and it is reported with exit code 1', async () => {
    const file = join(folder, 'faulty.yaml');
    writeFileSync(file, 'name: faulty\nkind: [');
    const listed = await plat('feed', 'list');
    const ran = await plat('feed', 'run', 'lots', '--wait');
    rmSync(file);
    expect([listed.code, listed.out]).toEqual([1, expect.stringMatching(/^lots /m)]);
    expect(listed.err).toContain(`${file}:2: `);
    expect([ran.code, ran.err]).toEqual([0, expect.not.stringContaining('faulty')]);
  });

  test('whoever waits for a server that is down for long is told after one attempt', async () => {
    const server = await serve((_, response) => response.writeHead(503, { 'retry-after': '3600' }).end());
    const { code, out } = await plat('feed', 'run', 'lots', '--wait', '--roll', `${server.origin}/roll.csv`);
    await server.close();
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^lots: failed: \S+roll\.csv returned 503\. Run /),
    ]);
    const { value } = await json('jobs', '--limit', '100');
    // The latest: what earlier ones lead to comes in between.
    const job = value.find(({ name }: { name: string }) => name === 'ingest.run');
    expect(job).toMatchObject({ attempts: 1 });
  });

  test('check the sample, as text and as JSON', async () => {
    const { code, out } = await plat('feed', 'check', 'washington-nh', '--rows', '200');
    expect(code).toBe(0);
    for (const word of ['owner_name', 'OWNER', 'mail_zip']) expect(out).toContain(word);
    expect(await json('feed', 'check', 'washington-nh', '--rows', '200')).toMatchObject({
      code: 0,
      value: { ok: true },
    });
  });

  test('check a file that would be rejected: exit code 1', async () => {
    const file = join(folder, 'broken.feed.yaml');
    writeFileSync(
      file,
      'name: broken\nkind: assessor\nfips: "33019"\nroll: { source: ./none.csv, format: csv, key: { columns: [ID] }, columns: { apn: ID } }\n',
    );
    const { code, err, out } = await plat('feed', 'check', file);
    rmSync(file);
    expect(code).toBe(1);
    expect(out + err).toContain('none.csv');
  });

  test('run: queued, waited for, unchanged, blocked, forced, failed', async () => {
    const queued = await json('feed', 'run', 'lots');
    expect(queued).toMatchObject({ code: 0, value: { job: expect.any(String), added: true } });
    const waited = await plat('feed', 'run', 'lots', '--wait');
    expect(waited.code).toBe(0);
    expect(waited.out).toMatch(/^run \d+ of lots: (merged|unchanged)/);
    expect(waited.err).toMatch(/ {2}lots: 100% done\n$/);

    expect(await json('feed', 'run', 'lots', '--wait')).toMatchObject({
      code: 0,
      value: { status: 'unchanged' },
    });
    const half = ['feed', 'run', 'lots', '--roll', join(folder, 'half.csv'), '--wait'];
    const blocked = await json(...half);
    expect(blocked).toMatchObject({ code: 3, value: { status: 'blocked', feed: 'lots', forced: false } });
    expect((await plat(...half)).out).toMatch(/ gate \w+: /);
    const forced = await json(...half, '--force');
    expect(forced).toMatchObject({
      code: 0,
      value: { status: 'merged', forced: true, counts: { retired: 100 } },
    });
    const gone = await plat('feed', 'run', 'lots', '--roll', join(folder, 'none.csv'), '--wait');
    expect(gone.code).toBe(1);
    expect(gone.out).toContain('none.csv');
  });

  test('runs, and one of them with its rejected rows', async () => {
    const wrong = await json('feed', 'run', 'lots', '--roll', join(folder, 'wrong.csv'), '--wait', '--force');
    expect(wrong.code).toBe(0);
    const id = String(wrong.value.id);
    const { value: runs } = await json('runs', '--feed', 'lots', '--limit', '2');
    expect(runs).toHaveLength(2);
    expect(runs[0]).toMatchObject({ id: wrong.value.id, feed: 'lots' });
    const list = await plat('runs');
    expect(list.out).toMatch(
      /^id +feed +status +read +new +changed +unchanged +retired +rejected +started\n/,
    );
    const shown = await json('runs', 'show', id, '--rejects', '3');
    expect(shown.value.rejects).toHaveLength(3);
    const { field, reason } = shown.value.rejects[0];
    expect(field).toBe('acres');
    const text = await plat('runs', 'show', id, '--reason', reason);
    expect(text.out).toContain(`roll row 2, acres: ${reason}: `);
    expect((await json('runs', 'show', id, '--reason', 'none_such')).value.rejects).toEqual([]);
  });
});

test('recompute: a county, a ZIP, everything, as of a date', async () => {
  expect(await json('recompute', 'stats', '--fips', '33019', '--wait')).toMatchObject({
    // The county and its 17 ZIPs.
    code: 0,
    value: { status: 'done', result: { regions: 18 }, error: null },
  });
  // FIPS codes lose their leading zero in spreadsheets.
  expect((await json('recompute', 'stats', '--fips', '1001', '--wait')).code).toBe(0);
  expect(
    (await plat('recompute', 'stats', '--zip', '03280', '--as-of', '2025-09-28', '--wait')).out,
  ).toContain('"regions":1');
  expect((await json('recompute', 'stats', '--all', '--wait')).value.status).toBe('done');
  const queued = await plat('recompute', 'stats', '--all');
  expect(queued.out).toMatch(/^statistics: job [0-9a-f-]{36} .*`plat status`.*\n$/);
});

test('recompute attributes: for a county, for all, for some kinds of layers', async () => {
  // What the runs before have led to computes the same parcels.
  await eventually(async () => {
    const { rowCount } = await db.pool.query("select from jobs where status in ('queued', 'running')");
    return rowCount === 0;
  });
  expect(await json('recompute', 'attributes', '--fips', '1001', '--wait')).toMatchObject({
    code: 0,
    value: { status: 'done', result: { parcels: 0, chunks: 0, failed: 0 }, error: null },
  });
  const kinds = ['--layer', 'roads', 'flood'];
  const { value } = await json('recompute', 'attributes', '--all', ...kinds, '--wait');
  expect(value).toMatchObject({ status: 'done', result: { chunks: 1, failed: 0 }, error: null });
  const { parcels } = value.result;
  expect(parcels).toBeGreaterThan(0);
  const shown = await plat('recompute', 'attributes', '--all', '--wait');
  expect(shown.out).toContain(` ${parcels} parcels in 1 county`);
  expect(shown.err).toContain(': 100% ');
  expect((await json('status')).value).toMatchObject({ parcels_due: 0 });
});

test('status shows what exists and what the workers are doing', async () => {
  const { value } = await json('status', '--jobs', '2');
  expect(value).toMatchObject({ api: null, counties: 3233, feeds: 1, jobs_failed: expect.any(Number) });
  expect(value.jobs).toHaveLength(2);
  const { out } = await plat('status', '--jobs', '100');
  expect(out).toMatch(/^api +.*`npm start`/m);
  expect(out).toMatch(/^[0-9a-f]{8} {2}ingest\.run +\["lots"/m);
});

test('accounts and keys: create, list, revoke', async () => {
  const created = await json('account', 'create', 'acme', '--tier', 'growth', '--overage', '--tokens', '500');
  expect(created).toMatchObject({ code: 0, value: { name: 'acme', tier: 'growth', tokens_included: 500 } });
  expect(await plat('account', 'create', 'acme')).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('"acme"'),
  });
  expect((await plat('account', 'list')).out).toMatch(/^acme +acme +growth /m);
  expect(await json('account', 'create', 'branch', '--company', 'acme')).toMatchObject({
    code: 0,
    value: { name: 'branch', company: 'acme' },
  });

  const key = (await plat('key', 'create', 'acme', '--name', 'site', '--expires', '2030-12-31')).out.trim();
  expect(key).toMatch(/^plat_[\w-]{43}$/);
  const { value: keys } = await json('key', 'list', '--account', 'acme');
  expect(keys).toMatchObject([{ name: 'site', expires_at: '2030-12-31T23:59:59.000Z', revoked_at: null }]);
  expect(JSON.stringify(keys)).not.toContain(key);
  expect(await json('key', 'revoke', key)).toMatchObject({ code: 0, value: { id: keys[0].id } });
  expect((await json('key', 'list')).value[0].revoked_at).not.toBeNull();
});

test.each([
  ['of another name', () => db.url.replace(/[^/]+$/, 'nowhere'), 'database "nowhere" does not exist'],
  ['on a closed port', () => 'postgres://plat@127.0.0.1:1/plat', 'connect ECONNREFUSED 127.0.0.1:1'],
])('a database %s: what is wrong and where to look, without a stack', async (_, url, why) => {
  const { code, err } = await runCommand({ ...env, DATABASE_URL: url() }, ['status']);
  expect([code, err]).toEqual([1, expect.stringMatching(/^plat: [^\n]+\n$/)]);
  expect(err).toContain(why);
  expect(err).toContain('DATABASE_URL');
});

test('without a database, a command says what to do', async () => {
  const url = env.DATABASE_URL;
  env.DATABASE_URL = '';
  const { code, err } = await plat('runs').finally(() => {
    env.DATABASE_URL = url;
  });
  expect(code).toBe(1);
  expect(err).toMatch(/`npm start`.*DATABASE_URL/);
});
