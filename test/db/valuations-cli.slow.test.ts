import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishJobs, VALUATION_JOBS } from '../../cli/up/up-jobs.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { startWorker } from '../../workers/start-worker.ts';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { runCommand } from '../support/plat.ts';
import { storedValuations, valuationMarks } from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, COUNTIES, randomComp, saleAt, seedParcels } from './valuations-support.ts';

const db = await createTestDatabase({}, { regions: true });
const { folder, pool } = db;
const feed = listingFeed(pool, folder, { snapshot: false });
let stopWorker = async () => {};

beforeAll(async () => {
  const random = createRandom(9);
  await seedParcels(pool, random, 100);
  await feed.run(Array.from({ length: 200 }, (_, i) => randomComp(random, String(i))));
  // As if the start before had been killed between the merge and this.
  await pool.query('delete from jobs');
  const worker = await startWorker(db.config, createLogger(db.config, 'test'), allJobs);
  stopWorker = worker.stop;
});
afterAll(async () => {
  await stopWorker();
});

const plat = (...argv: string[]) =>
  runCommand({ DATABASE_URL: db.url, REDIS_URL: '', PLAT_DIR: folder }, argv);
const json = async (...argv: string[]) => JSON.parse((await plat(...argv, '--json')).out);

test('a start values the counties that are due before it continues', async () => {
  expect(await valuationMarks(pool)).toEqual([...COUNTIES].sort());
  const { deliverJobs } = await import('../../cli/common/cli-session.ts');
  const deliver = (ids: string[]) =>
    deliverJobs(
      { config: { ...db.config, DATABASE_URL: db.url }, db: pool, log: createLogger(db.config, 'x') },
      ids,
    );
  const { signal } = new AbortController();
  await finishJobs(VALUATION_JOBS, { db: pool, deliver, signal }, 30_000);
  expect(await valuationMarks(pool)).toEqual([]);
  expect((await storedValuations(pool)).size).toBeGreaterThan(50);
  // Parcels and comps of an installation from before there were valuations.
  await pool.query('truncate valuations, valuation_counties');
  await finishJobs(VALUATION_JOBS, { db: pool, deliver, signal }, 30_000);
  expect((await storedValuations(pool)).size).toBeGreaterThan(50);
});

test('recompute valuations fits, values the counties, and tells of all of them', async () => {
  const all = await json('recompute', 'valuations', '--all', '--as-of', AS_OF, '--wait');
  expect(all).toMatchObject({
    status: 'done',
    error: null,
    result: { asOf: AS_OF, counties: 3, failed: 0, parcels: expect.any(Number), valued: expect.any(Number) },
  });
  const { rows } = await pool.query('select distinct as_of from valuations');
  expect(rows).toEqual([{ as_of: AS_OF }]);
  expect(all.result.valued).toBe((await storedValuations(pool)).size);

  const one = await plat('recompute', 'valuations', '--fips', '33005', '--as-of', '2026-06-01', '--wait');
  expect(one.code).toBe(0);
  expect(one.out).toMatch(/^valuations .*2026-06-01: \d+ of \d+ parcels .*\b1 county/m);
  expect(one.err).toMatch(/\b33005\b.*2026-06-01.*--as-of.*00:40 UTC/);
  const days = await pool.query('select fips, as_of from valuations group by 1, 2 order by 1');
  expect(days.rows.map(row => row.as_of)).toEqual(['2026-06-01', AS_OF, AS_OF]);
  expect(days.rows.map(row => row.fips)).toEqual([...COUNTIES].sort());
});

test('recompute valuations says what is wrong, and which county failed', async () => {
  expect(await plat('recompute', 'valuations')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--fips.*--all/),
  });
  expect(await plat('recompute', 'valuations', '--fips', '99999')).toMatchObject({ code: 2 });
  expect(await plat('recompute', 'valuations', '--all', '--as-of', 'today')).toMatchObject({ code: 2 });
  await pool.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise 'not this county' using errcode = 'check_violation'; end $$`);
  await pool.query(
    'create trigger fail before insert on valuations_33 for each row when (new.fips = 33005) execute function fail()',
  );
  const failed = await plat('recompute', 'valuations', '--all', '--wait', '--json');
  await pool.query('drop trigger fail on valuations_33; drop function fail');
  expect(failed.code).toBe(1);
  expect(failed.err).not.toContain('00:40 UTC');
  expect(JSON.parse(failed.out)).toMatchObject({
    status: 'failed',
    result: { counties: 3, failed: 1 },
    error: expect.stringContaining('not this county'),
  });
  // What failed stays due.
  expect(await valuationMarks(pool)).toEqual([33_005]);
});

test('backtest valuations compares with the prices that were paid, and knows nothing of listings for sale', async () => {
  const before = await json('backtest', 'valuations', '--from', '2026-03-01', '--to', AS_OF);
  expect(before).toMatchObject({ fips: null, from: '2026-03-01', to: AS_OF });
  expect(before.valued).toBeGreaterThan(4);
  expect(before.methods.model.sales).toBe(before.valued);
  const county = await json(
    'backtest',
    'valuations',
    '--fips',
    '33005',
    '--from',
    '2026-03-01',
    '--to',
    AS_OF,
  );
  expect(county.sales).toBeLessThan(before.sales);

  await pool.query("update listings set status = 'OFF_MARKET' where status in ('ACTIVE', 'PENDING')");
  expect(await json('backtest', 'valuations', '--from', '2026-03-01', '--to', AS_OF)).toEqual(before);
  // Nor of what comes later.
  await feed.run([saleAt('future', 33_005, -72.45, 43.15, 3, 50_000, '2026-07-01')]);
  expect(await json('backtest', 'valuations', '--from', '2026-03-01', '--to', AS_OF)).toEqual(before);

  const { out, code } = await plat('backtest', 'valuations', '--from', '2026-03-01', '--to', AS_OF);
  expect(code).toBe(0);
  expect(out).toContain(`${before.valued} of ${before.sales} sales`);
  expect(out).toMatch(/^method +n +MdAPE % .*10% +20% +25% .*COD +PRD +PRB$/m);
  expect(out).toMatch(/^valuation +\d+ +\d+\.\d/m);
  expect(out).toMatch(/\b5 nearest sales +\d+\.\d% /m);
  expect(out).toMatch(/^80% range: .*\b\d+\.\d% .*\(90% CI: \d+\.\d to \d+\.\d\)/m);
  expect(out).toMatch(/^PRB .*: -?\d+\.\d\d to -?\d+\.\d\d \(90% CI\)/m);
  expect(out).toMatch(/^When .*\b1% .*-?\d+\.\d\d% higher \(90% CI: /m);
  expect(out).toMatch(/\bconfidence .*25% .*-?\d+\.\d points \(90% CI: /m);
  const period = ['--from', '2026-06-01', '--to', AS_OF];
  const { counties } = await json('backtest', 'valuations', '--all', ...period);
  expect(counties.map((one: { fips: string }) => one.fips)).toEqual(['33005', '33019']);
  expect((await plat('backtest', 'valuations', '--all', ...period)).out).toMatch(
    /^county +n +MdAPE % .*80% range /m,
  );
  expect((await plat('backtest', 'valuations', '--all', '--fips', '33005')).code).toBe(2);
  expect((await plat('backtest', 'valuations', '--from', '2026-01-02', '--to', '2026-01-01')).code).toBe(2);
  const early = await plat('backtest', 'valuations', '--to', '1990-01-01');
  expect(early).toMatchObject({ code: 0, out: expect.not.stringContaining('MdAPE') });
  expect(await json('backtest', 'valuations', '--to', '1990-01-01')).toMatchObject({
    from: '1900-01-01',
    sales: 0,
    valued: 0,
    ordering: null,
    better: { county_bucket: null, nearest_5_ppa: null, nearest_5_price: null },
  });
});
