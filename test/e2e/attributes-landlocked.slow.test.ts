import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { deliverJobs } from '../../cli/common/cli-session.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { enqueue, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { type RunningWorker, startWorker } from '../../workers/start-worker.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { ORIGIN, writeFeatures } from '../support/ingest.ts';
import { commandsOn } from '../support/plat.ts';

// A street with 60 lots on either side. The roll draws the street, too, cut into 60 pieces that are not long
// enough to be known as its way: they shut off all of the lots, 120 of 180 parcels.
const LOTS = 60;
const folder = testFolder();
const db = await createTestDatabase({ FEEDS_DIR: folder }, { regions: true });
const { plat } = commandsOn(db);
const logged: { level: number; fips?: number; msg: string }[] = [];
let worker: RunningWorker;

const json = async (...argv: string[]) => JSON.parse((await plat(...argv, '--json')).out);

/** Has the worker ingest a feed. */
async function bring(feed: string): Promise<void> {
  const { id } = await enqueue(db.pool, ingestJob, ingestJob.payload.parse({ feed, force: true }));
  const log = createLogger(db.config, 'test');
  await deliverJobs({ config: { ...db.config, DATABASE_URL: db.url }, db: db.pool, log }, [id]);
  expect(await waitForJob(db.pool, id)).toMatchObject({ status: 'done', result: { status: 'merged' } });
}

/** Meters of a degree there, on the WGS84 ellipsoid. */
const at = (x: number, y: number): [number, number] => [ORIGIN[0] + x / 81_268, ORIGIN[1] + y / 111_096];
const box = (west: number, south: number, east: number, north: number) => ({
  type: 'Polygon' as const,
  coordinates: [[at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)]],
});

function writeFeed(definition: { name: string } & Record<string, unknown>): void {
  writeFileSync(join(folder, `${definition.name}.yaml`), stringify(definition));
}

const ROLL = { source: 'roll.ndgeojson', format: 'ndgeojson', key: 'PIN', columns: { apn: 'PIN' } };
const writeRoll = (roll: object) => writeFeed({ name: 'roll', kind: 'assessor', fips: '33019', roll });

beforeAll(async () => {
  const parcels = Array.from({ length: LOTS }, (_, i) => [
    { properties: { PIN: `N${i}`, USE: 'LOT' }, geometry: box(20 * i, 8, 20 * i + 20, 48) },
    { properties: { PIN: `S${i}`, USE: 'LOT' }, geometry: box(20 * i, -48, 20 * i + 20, -8) },
    { properties: { PIN: `W${i}`, USE: 'STREET' }, geometry: box(20 * i, -8, 20 * i + 20, 8) },
  ]).flat();
  writeFeatures(join(folder, 'roll.ndgeojson'), parcels);
  writeRoll(ROLL);
  const street = { type: 'LineString' as const, coordinates: [at(-50, 0), at(20 * LOTS + 50, 0)] };
  writeFeatures(join(folder, 'roads.ndgeojson'), [{ properties: { MTFCC: 'S1400' }, geometry: street }]);
  writeFeed({
    name: 'roads',
    kind: 'roads',
    coverage: [...at(-100, -100), ...at(20 * LOTS + 100, 100)],
    layer: { source: 'roads.ndgeojson', format: 'ndgeojson' },
  });
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  worker = await startWorker(db.config, log, allJobs);
  for (const feed of ['roads', 'roll']) await bring(feed);
});
afterAll(async () => {
  await worker?.stop();
});

const WARNING =
  /^County 33019 \(Sullivan.*, NH\): 120 of 180 parcels, 67%, have no mapped road.*`layer\.columns\.class`.*`roll\.skip_where`/;

test('an operator who recomputes a county is warned if most of its parcels have no mapped road', async () => {
  const { code, out } = await plat('recompute', 'attributes', '--fips', '33019', '--wait');
  expect(code).toBe(0);
  const [summary, warning] = out.split('\n');
  expect(summary).toMatch(/\b180 parcels in 1 county/);
  expect(warning).toMatch(WARNING);
  expect((await json('recompute', 'attributes', '--all', '--layer', 'roads', '--wait')).warnings).toEqual([
    expect.stringMatching(WARNING),
  ]);
});

test("the worker logs it and stores it with the job's result", async () => {
  const { rows } = await db.pool.query<{ warnings: string[] | null }>(
    "select result -> 'warnings' as warnings from jobs where name = 'attributes.chunk' and status = 'done' order by queued_at",
  );
  expect(rows.at(-1)).toEqual({ warnings: [expect.stringMatching(WARNING)] });
  expect(logged.filter(({ level }) => level === 40).at(-1)).toMatchObject({
    fips: 33_019,
    msg: expect.stringMatching(WARNING),
  });
});

test('other kinds of layers cause no warning', async () => {
  const { warnings } = await json('recompute', 'attributes', '--fips', '33019', '--layer', 'flood', '--wait');
  expect(warnings).toEqual([]);
});

test('the suggested fix ends it', async () => {
  writeRoll({ ...ROLL, skip_where: [{ column: 'USE', in: ['STREET'] }] });
  await bring('roll');
  const { result, warnings } = await json('recompute', 'attributes', '--fips', '33019', '--wait');
  expect({ result, warnings }).toMatchObject({ result: { parcels: 120 }, warnings: [] });
  const { rows } = await db.pool.query(
    'select count(*) filter (where landlocked)::int as landlocked, count(landlocked)::int as known from parcel_filters',
  );
  expect(rows).toEqual([{ landlocked: 0, known: 120 }]);
});
