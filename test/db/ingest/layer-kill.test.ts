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
import { all, type Feature, feedOf, ingest, lot, threeAtATime, writeFeatures } from '../../support/ingest.ts';
import type { ChildOrder } from '../../support/ingest-child.ts';
import { road, roadLine, writeRoads } from '../../support/layers.ts';

const { pool, url } = await createTestDatabase();
const folder = testFolder();

beforeAll(async () => {
  writeFeatures(
    join(folder, 'lots.ndgeojson'),
    [0, 1, 49].map(n => ({ properties: { PIN: `P${n}` }, geometry: lot(n) })),
  );
  const roll = { source: 'lots.ndgeojson', format: 'ndgeojson', key: 'PIN' };
  await ingest(pool, feedOf(folder, { name: 'lots', kind: 'assessor', fips: '33019', roll }));
});

const FEW = 300;
/** Features and a column that nothing reads: together so long that the file is read in several pieces. */
const MANY = 3_200;
const NOTE = '.'.repeat(1_200);

/** The second version has new and missing roads, one that comes twice, one of no use and one that does not count. */
function roadsOf(version: 1 | 2, count: number): Feature[] {
  const noted = (feature: Feature): Feature => ({ ...feature, properties: { ...feature.properties, NOTE } });
  const roads = Array.from({ length: count }, (_, n) => noted(road(0, 'S1400', 0.001 + n / 1e6)));
  if (version === 1) return roads;
  roads.splice(10, 5);
  const drive = road(2, 'S1740', 0.06);
  return [...roads, road(7), road(7), { properties: { MTFCC: 'S1200' }, geometry: null }, drive];
}

async function feedFile(
  name: string,
  rows = FEW,
): Promise<{ feed: Feed; path: string; write(version: 1 | 2): void }> {
  const path = join(folder, `${name}.yaml`);
  const layer = { source: `${name}.ndgeojson`, format: 'ndgeojson' };
  writeFileSync(path, stringify({ name, kind: 'roads', layer }));
  return {
    feed: await loadFeed(path),
    path,
    write: version => writeRoads(folder, name, roadsOf(version, rows)),
  };
}

function child(order: ChildOrder): ChildProcess {
  const program = join(rootDir, 'test/support/ingest-child.ts');
  const worker = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(order)], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, DATABASE_URL: url, LOG_LEVEL: 'error' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  worker.stdout!.resume();
  return worker;
}

/** What readers see of a layer: its features and its version (as the how-manieth run). */
async function visible(name: string): Promise<unknown> {
  const features = await all(
    pool,
    `select count(*)::int, md5(string_agg(concat_ws('|', hash, class, extent, md5(geometry)), ',' order by hash)) as digest
     from layer_features where feed_id = (select id from feeds where name = $1)`,
    [name],
  );
  const layer = await all(
    pool,
    `select kind, coverage::text, fips, reach_m,
       (select count(*)::int from runs r where r.feed_id = l.feed_id and r.id <= l.run_id) as version
     from land_layers l where feed_id = (select id from feeds where name = $1)`,
    [name],
  );
  return { features, layer };
}

async function runsOf(name: string) {
  const runs = await all<{ id: number; status: string }>(
    pool,
    'select r.id, r.status, r.counts from runs r join feeds f on f.id = r.feed_id where f.name = $1 order by r.id',
    [name],
  );
  const rejects = await all(pool, 'select row_no, field, reason from run_rejects where run_id = $1', [
    runs.at(-1)?.id,
  ]);
  return { runs: runs.map(({ id: _id, ...run }) => run), rejects };
}

/** Only the middle of the COPY comes later than the file's first piece. */
const rowsFor = (step: string) => (step === 'copy' ? MANY : FEW);

/** Ingests the first version of a feed and has a worker die at the second; what readers saw before, and the worker's job. */
async function killedAt(step: string, name = `killed-at-${step}`) {
  const { feed, path, write } = await feedFile(name, rowsFor(step));
  write(1);
  await ingest(pool, feed);
  const before = await visible(name);
  write(2);
  // For the test of the marks, which runs alone: what the first version has marked.
  if (step === 'commit') await pool.query('delete from attributes_dirty');
  const jobId = randomUUID();
  const [, signal] = await once(child({ feed: path, jobId, dieAt: step }), 'exit');
  expect([step, signal]).toEqual([step, 'SIGKILL']);
  return { feed, before, jobId };
}

const STEPS = ['open', 'stage', 'copy', 'match', 'gate', 'merge', 'commit', 'follow'];

test('a worker killed at any step leaves the layer whole, and the retry of its job completes the run', async () => {
  /** What two versions leave when nothing is killed. */
  async function reference(rows: number) {
    const name = `reference-${rows}`;
    const file = await feedFile(name, rows);
    for (const version of [1, 2] as const) {
      file.write(version);
      expect((await ingest(pool, file.feed)).status).toBe('merged');
    }
    const left = { visible: await visible(name), runs: await runsOf(name) };
    expect(left.visible).toMatchObject({ layer: [{ version: 2 }] });
    expect(left.runs).toMatchObject({
      runs: [
        { counts: { new: rows } },
        {
          counts: {
            new: 1,
            retired: 5,
            identical: 1,
            rejected: { geometry_missing: 1 },
            not_counting: { S1740: 1 },
          },
        },
      ],
      rejects: [{ row_no: rows - 2, field: 'geometry', reason: 'geometry_missing' }],
    });
    return left;
  }
  const references = new Map([
    [FEW, await reference(FEW)],
    [MANY, await reference(MANY)],
  ]);

  await threeAtATime(STEPS, async step => {
    const { feed, before, jobId } = await killedAt(step);
    const wanted = references.get(rowsFor(step))!;
    const merged = step === 'follow';
    expect(await visible(feed.name), step).toEqual(merged ? wanted.visible : before);
    const retried = await ingest(pool, feed, { jobId });
    expect([step, retried.status]).toEqual([step, 'merged']);
    expect(await visible(feed.name), step).toEqual(wanted.visible);
    expect(await runsOf(feed.name), step).toEqual(wanted.runs);
  });
  expect(await all(pool, "select nspname from pg_namespace where nspname like 'stage%'")).toEqual([]);
});

test('a merge that is killed before its end marks no parcel, and its retry marks those that the layer covers', async () => {
  const marked = () => all(pool, 'select property_id, layers from attributes_dirty');
  const { feed, jobId } = await killedAt('commit', 'marking');
  expect(await marked()).toEqual([]);
  await ingest(pool, feed, { jobId });
  // Two of the three lots lie beside the roads.
  expect(await marked()).toHaveLength(2);
});

test('two runs of one layer take turns', async () => {
  const { feed, path, write } = await feedFile('shared');
  write(1);
  const first = child({ feed: path, jobId: null, waitAt: 'gate' });
  const output: string[] = [];
  first.stdout!.on('data', (data: Buffer) => output.push(...data.toString().trim().split('\n')));
  await expect.poll(() => output, { timeout: 60_000 }).toContain('gate');
  const steps: string[] = [];
  const second = ingest(pool, feed, {}, { onStep: step => void steps.push(step) });
  writeRoads(folder, 'other', [{ properties: { MTFCC: 'S1100' }, geometry: roadLine(3) }]);
  const other = feedOf(folder, {
    name: 'other',
    kind: 'roads',
    layer: { source: 'other.ndgeojson', format: 'ndgeojson' },
  });
  expect((await ingest(pool, other)).status).toBe('merged');
  expect(steps).toEqual([]);
  first.stdin!.write('go on\n');
  await once(first, 'exit');
  expect(output.at(-1)).toBe('merged');
  expect((await second).status).toBe('unchanged');
});
