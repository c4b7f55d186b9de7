import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { rootDir } from '../../../shared/root.ts';
import type { Feed } from '../../../workers/feeds/feed.ts';
import { loadFeed } from '../../../workers/feeds/load.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import {
  all,
  type Feature,
  ingest,
  insertRegions,
  lot,
  threeAtATime,
  writeFeatures,
} from '../../support/ingest.ts';
import type { ChildOrder } from '../../support/ingest-child.ts';

// A run takes up to six connections, and three are at work at once.
const { pool, url } = await createTestDatabase({ DB_POOL_SIZE: '20' });
const folder = testFolder();
beforeAll(() => insertRegions(pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]));

/** A feed file of parcels with sales, and its two rolls. */
async function feedFile(
  name: string,
  rows = FEW,
): Promise<{ feed: Feed; path: string; write(year: 1 | 2): void }> {
  const path = join(folder, `${name}.yaml`);
  const columns = { owner_name: 'OWNER', last_sale_date: 'SOLD', last_sale_price: 'PRICE', acres: 'ACRES' };
  const roll = { source: `${name}.ndgeojson`, format: 'ndgeojson', key: 'PIN', columns };
  writeFileSync(
    path,
    stringify({
      name,
      kind: 'assessor',
      fips: '33019',
      roll,
      sales: { label: name },
      gates: { max_reject_percent: 50 },
    }),
  );
  return {
    feed: await loadFeed(path),
    path,
    write: year => writeFeatures(join(folder, `${name}.ndgeojson`), rollOf(year, rows)),
  };
}

const FEW = 300;
/** Rows and a column that nothing reads: together so long that the file is read in several pieces. */
const MANY = 2_200;
const NOTE = '.'.repeat(1_200);

/** The second year has changed, new and missing parcels, a rejected row, a key that comes twice, and parts. */
function rollOf(year: 1 | 2, count: number): Feature[] {
  const row = (n: number, more: Record<string, unknown> = {}): Feature => ({
    properties: { PIN: `P${n}`, OWNER: `OWNER ${n}`, SOLD: null, PRICE: null, ACRES: 1, NOTE, ...more },
    geometry: lot(n % 1000),
  });
  const rows = Array.from({ length: count }, (_, n) =>
    row(n, n === 5 ? { SOLD: '2020-01-01', PRICE: 5_000 } : {}),
  );
  if (year === 1) return rows;
  rows[6] = row(6, { SOLD: '2021-01-01', PRICE: 6_000 });
  rows[7] = row(7, { ACRES: 'some' });
  rows.splice(10, 5);
  return [
    ...rows,
    row(9_000),
    { ...row(9_001), geometry: lot(0) },
    { ...row(9_001), geometry: lot(3) },
    row(9_000, { OWNER: 'X' }),
    row(0, { PIN: '' }),
  ];
}

function child(order: ChildOrder): ChildProcess {
  const program = join(rootDir, 'test/support/ingest-child.ts');
  return spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(order)], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: url, LOG_LEVEL: 'error' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Everything that readers see of a feed, as digests; `when` adds its ids and when each parcel was written. */
async function visible(name: string, when: boolean): Promise<unknown> {
  const [parcels] = await all(
    pool,
    `select count(*)::int as count, md5(string_agg(row_text, E'\n' order by property_id)) as digest from (
       select property_id, concat_ws('|', source_key, owner_name, acres, calculated_acres, location, md5(boundary),
         retired_at is not null, row_number() over (order by property_id)${when ? ', property_id, p.xmin' : ''}) as row_text
       from parcels p join feeds f on f.id = p.feed_id where f.name = $1
     ) of_feed`,
    [name],
  );
  const listings = await all(
    pool,
    'select source_id, status, price, sold_date, lot_acres from listings where source = $1 order by 1',
    [name],
  );
  const events = await all(
    pool,
    'select l.source_id, e.status, e.price from listing_events e join listings l on l.id = e.listing_id where l.source = $1 order by 1, 2',
    [name],
  );
  return { parcels, listings, events };
}

async function runsOf(name: string) {
  const runs = await all<{ id: number; status: string; counts: unknown }>(
    pool,
    'select r.id, r.status, r.counts from runs r join feeds f on f.id = r.feed_id where f.name = $1 order by r.id',
    [name],
  );
  const rejects = await all(
    pool,
    `select row_no, field, reason, message, raw from run_rejects where run_id = $1 order by row_no, reason`,
    [runs.at(-1)?.id],
  );
  return { runs: runs.map(({ id: _id, ...run }) => run), rejects };
}

const STEPS = ['open', 'stage', 'copy', 'join', 'match', 'gate', 'merge', 'commit', 'follow'];

test('a worker killed at any step leaves the tables whole, and the retry of its job completes the run', async () => {
  /** What two years leave when nothing is killed. */
  async function reference(rows: number) {
    const name = `reference-${rows}`;
    const file = await feedFile(name, rows);
    for (const year of [1, 2] as const) {
      file.write(year);
      expect((await ingest(pool, file.feed)).status).toBe('merged');
    }
    const left = { visible: await visible(name, false), runs: await runsOf(name) };
    expect(left.runs.rejects).toHaveLength(3);
    return left;
  }
  const references = new Map([
    [FEW, await reference(FEW)],
    [MANY, await reference(MANY)],
  ]);

  await threeAtATime(STEPS, async step => {
    // Only the middle of the COPY comes later than the file's first piece.
    const rows = step === 'copy' ? MANY : FEW;
    const { feed, path, write } = await feedFile(`killed-at-${step}`, rows);
    const { name } = feed;
    write(1);
    await ingest(pool, feed);
    write(2);
    const before = await visible(name, true);
    const jobId = randomUUID();
    const process = child({ feed: path, jobId, dieAt: step });
    process.stdout!.resume();
    const [, signal] = await once(process, 'exit');
    expect([step, signal]).toEqual([step, 'SIGKILL']);
    const wanted = references.get(rows)!;
    const after = await visible(name, true);
    if (step === 'follow') expect(await visible(name, false)).toEqual(wanted.visible);
    else expect(after, step).toEqual(before);

    const retried = await ingest(pool, feed, { jobId });
    expect([step, retried.status]).toEqual([step, 'merged']);
    expect(await visible(name, false), step).toEqual(wanted.visible);
    expect(await runsOf(name), step).toEqual(wanted.runs);
    if (step === 'follow') expect(await visible(name, true)).toEqual(after);
  });
  expect(await all(pool, "select nspname from pg_namespace where nspname like 'stage%'")).toEqual([]);
});

test('what a killed run without a retry left behind is cleared by the next run of the feed', async () => {
  const file = await feedFile('abandoned');
  file.write(1);
  const process = child({ feed: file.path, jobId: null, dieAt: 'match' });
  process.stdout!.resume();
  await once(process, 'exit');
  const stages = () => all(pool, "select nspname from pg_namespace where nspname like 'stage%'");
  expect(await stages()).toHaveLength(1);
  expect((await ingest(pool, file.feed)).status).toBe('merged');
  expect(await stages()).toEqual([]);
  const { runs } = await runsOf('abandoned');
  expect(runs.map(({ status }) => status)).toEqual(['failed', 'merged']);
});

test('two runs of one feed in two processes take turns; another feed does not wait', async () => {
  const [shared, other] = [await feedFile('shared'), await feedFile('other')];
  shared.write(1);
  other.write(1);
  const first = child({ feed: shared.path, jobId: null, waitAt: 'gate' });
  const output: string[] = [];
  first.stdout!.on('data', (data: Buffer) => output.push(...data.toString().trim().split('\n')));
  await expect.poll(() => output, { timeout: 60_000 }).toContain('gate');

  const steps: string[] = [];
  const second = ingest(pool, shared.feed, {}, { onStep: step => void steps.push(step) });
  expect((await ingest(pool, other.feed)).status).toBe('merged');
  expect(steps).toEqual([]);
  expect(output).not.toContain('merged');

  first.stdin!.write('go on\n');
  await once(first, 'exit');
  expect(output.at(-1)).toBe('merged');
  expect((await second).status).toBe('unchanged');
  expect(steps).toContain('open');
});

test('a run that waits for another one ends when its worker is told to stop', async () => {
  const file = await feedFile('stopped');
  file.write(1);
  let go = () => {};
  const held = new Promise<void>(resolve => {
    go = resolve;
  });
  const steps: string[] = [];
  const first = ingest(
    pool,
    file.feed,
    {},
    {
      onStep(step) {
        steps.push(step);
        return step === 'gate' ? held : undefined;
      },
    },
  );
  await expect.poll(() => steps).toContain('gate');
  const stop = new AbortController();
  const second = ingest(pool, file.feed, {}, { signal: stop.signal });
  setTimeout(() => stop.abort(), 300);
  await expect(second).rejects.toMatchObject({ code: 'interrupted', retryable: true });
  go();
  expect((await first).status).toBe('merged');
});
