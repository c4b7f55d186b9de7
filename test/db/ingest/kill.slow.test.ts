import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Feed } from '../../../workers/ingest/all-kinds.ts';
import { loadFeed } from '../../../workers/ingest/load-feeds.ts';
import { createTestDatabase, lockAsks } from '../../support/database.ts';
import {
  all,
  type Feature,
  ingest,
  ingestRoll,
  insertRegions,
  lot,
  threeAtATime,
  writeFeatures,
} from '../../support/ingest.ts';
import type { ChildOrder } from '../../support/ingest-child.ts';
import { road } from '../../support/layers.ts';
import { startProgram } from '../../support/programs.ts';

// A run takes up to six connections, and three are at work at once.
const { folder, pool, url } = await createTestDatabase({ DB_POOL_SIZE: '20' });

beforeAll(async () => {
  await insertRegions(pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  const lots = [0, 1, 49].map(n => ({ properties: { PIN: `P${n}` }, geometry: lot(n) }));
  await ingestRoll(pool, folder, 'lots', lots);
});

type Version = 1 | 2;
type Kind = {
  /** Rows of a file that is read in several pieces; NOTE makes them long. */
  many: number;
  steps: string[];
  definition(name: string): Record<string, unknown>;
  rows(version: Version, count: number): Feature[];
  /** Everything that readers see of a feed; `when` adds its ids and when its rows were written. */
  visible(name: string, when: boolean): Promise<unknown>;
};

const FEW = 300;
/** A column that nothing reads. */
const NOTE = '.'.repeat(1_200);

const PARCELS: Kind = {
  many: 2_200,
  steps: ['open', 'stage', 'copy', 'join', 'match', 'gate', 'merge', 'commit', 'follow'],
  definition(name) {
    const columns = {
      owner_name: 'OWNER',
      last_sale_date: 'SOLD',
      last_sale_price: 'PRICE',
      acres: 'ACRES',
      assessed_land_value: 'LAND',
    };
    const roll = { source: `${name}.ndgeojson`, format: 'ndgeojson', key: 'PIN', columns };
    const gates = { max_reject_percent: 50 };
    return {
      name,
      kind: 'assessor',
      fips: '33019',
      overlap: 'separate',
      roll,
      sales: { label: name },
      gates,
    };
  },
  /**
   * The second year has changed, new and missing parcels, a rejected row, a key that comes twice, and parts.
   */
  rows(year, count) {
    const row = (n: number, more: Record<string, unknown> = {}): Feature => ({
      properties: {
        PIN: `P${n}`,
        OWNER: `OWNER ${n}`,
        SOLD: null,
        PRICE: null,
        ACRES: 2,
        LAND: 1000 + n,
        NOTE,
        ...more,
      },
      geometry: lot(n % 1000),
    });
    const rows = Array.from({ length: count }, (_, n) =>
      row(n, n === 5 ? { SOLD: '2020-01-01', PRICE: 5_000 } : {}),
    );
    if (year === 1) return rows;
    rows[6] = row(6, { SOLD: '2021-01-01', PRICE: 6_000, LAND: 1 });
    rows[7] = row(7, { ACRES: 'some' });
    rows.splice(10, 5);
    const parts = [lot(0), lot(3)].map(geometry => ({ ...row(9_001), geometry }));
    return [...rows, row(9_000), ...parts, row(9_000, { OWNER: 'X' }), row(0, { PIN: '' })];
  },
  async visible(name, when) {
    const parcels = await all(
      pool,
      `select count(*)::int as count, md5(string_agg(row_text, E'\n' order by property_id)) as digest from (
         select property_id, concat_ws('|', source_key, owner_name, acres, calculated_acres, location, md5(boundary),
           retired_at is not null, row_number() over (order by property_id)${when ? ', property_id, p.xmin' : ''}) as row_text
         from parcels p join feeds f on f.id = p.feed_id where f.name = $1
       ) of_feed`,
      [name],
    );
    const events = await all(
      pool,
      `select l.source_id, l.status, l.price, l.sold_date, l.lot_acres, e.status as event, e.price as event_price
       from listings l join listing_events e on e.listing_id = l.id where l.source = $1 order by 1, 6`,
      [name],
    );
    const assessed = await all(
      pool,
      `select count(*)::int as count, md5(string_agg(concat_ws('|', p.source_key, a.value), ',' order by p.source_key)) as digest
       from assessed_land_values a
       join parcels p on p.fips = a.fips and p.property_id = a.property_id
       join feeds f on f.id = p.feed_id
       where f.name = $1`,
      [name],
    );
    return { parcels, events, assessed };
  },
};

const ROADS: Kind = {
  many: 3_200,
  // What comes before is the same program for every kind of feed.
  steps: ['copy', 'merge', 'commit', 'follow'],
  definition: name => ({
    name,
    kind: 'roads',
    layer: { source: `${name}.ndgeojson`, format: 'ndgeojson' },
  }),
  /**
   * The second version has new and missing roads, one that comes twice, one of no use and one
   * that does not count.
   */
  rows(version, count) {
    const noted = (feature: Feature): Feature => ({
      ...feature,
      properties: { ...feature.properties, NOTE },
    });
    const roads = Array.from({ length: count }, (_, n) => noted(road(0, 'S1400', 0.001 + n / 1e6)));
    if (version === 1) return roads;
    roads.splice(10, 5);
    const useless = { properties: { MTFCC: 'S1200' }, geometry: null };
    return [...roads, road(7), road(7), useless, road(2, 'S1740', 0.06)];
  },
  /** Its version is told as the how-manieth run of the feed. */
  visible: name =>
    all(
      pool,
      `select kind, coverage::text, fips, reach_m,
         (select count(*)::int from runs r where r.feed_id = l.feed_id and r.id <= l.run_id) as version,
         (select concat(count(*), md5(string_agg(concat_ws('|', hash, class, extent, md5(geometry)), ',' order by hash)))
          from layer_features where feed_id = l.feed_id) as features
       from land_layers l where feed_id = (select id from feeds where name = $1)`,
      [name],
    ),
};

async function feedFile(
  kind: Kind,
  name: string,
  count = FEW,
): Promise<{ feed: Feed; path: string; write(version: Version): void }> {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, stringify(kind.definition(name)));
  const write = (version: Version) =>
    writeFeatures(join(folder, `${name}.ndgeojson`), kind.rows(version, count));
  write(1);
  return { feed: await loadFeed(path), path, write };
}

function child(order: ChildOrder): ChildProcess {
  const worker = startProgram(
    'test/support/ingest-child.ts',
    { DATABASE_URL: url, LOG_LEVEL: 'error' },
    { args: [JSON.stringify(order)], stdio: ['pipe', 'pipe', 'inherit'] },
  );
  worker.stdout!.resume();
  return worker;
}

async function runsOf(name: string) {
  const runs = await all<{ id: number; status: string; counts: { new: number } }>(
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

const stages = () => all(pool, "select nspname from pg_namespace where nspname like 'stage%'");

/**
 * Ingests the first version of a feed and has a worker die at the second; what readers saw before,
 * and the worker's job.
 */
async function killedAt(kind: Kind, step: string, name: string, count = FEW) {
  const { feed, path, write } = await feedFile(kind, name, count);
  await ingest(pool, feed);
  const before = await kind.visible(name, true);
  write(2);
  // For the test of the marks, which runs alone: what the first version has marked.
  if (name === 'marking') await pool.query('delete from attributes_dirty');
  const jobId = randomUUID();
  const [, signal] = await once(child({ feed: path, jobId, dieAt: step }), 'exit');
  expect([step, signal]).toEqual([step, 'SIGKILL']);
  return { feed, before, jobId };
}

test.each([
  ['parcels', PARCELS, 3],
  ['roads', ROADS, 1],
])(
  '%s: a worker killed at any step leaves the tables whole, and the retry of its job completes the run',
  async (title, kind, rejects) => {
    /** What two versions leave when nothing is killed. */
    async function reference(rows: number) {
      const name = `${title}-reference-${rows}`;
      const { feed, write } = await feedFile(kind, name, rows);
      for (const version of [1, 2] as const) {
        write(version);
        expect((await ingest(pool, feed)).status).toBe('merged');
      }
      const left = { visible: await kind.visible(name, false), runs: await runsOf(name) };
      expect(left.runs).toMatchObject({ runs: [{ counts: { new: rows } }, {}] });
      expect(left.runs.rejects).toHaveLength(rejects);
      return left;
    }
    // Only the middle of the COPY comes later than the file's first piece.
    const rowsFor = (step: string) => (step === 'copy' ? kind.many : FEW);
    const references = new Map([
      [FEW, await reference(FEW)],
      [kind.many, await reference(kind.many)],
    ]);

    await threeAtATime(kind.steps, async step => {
      const { feed, before, jobId } = await killedAt(kind, step, `${title}-killed-${step}`, rowsFor(step));
      const { name } = feed;
      const wanted = references.get(rowsFor(step))!;
      const after = await kind.visible(name, true);
      if (step === 'follow') expect(await kind.visible(name, false)).toEqual(wanted.visible);
      else expect(after, step).toEqual(before);
      const steps: string[] = [];
      const onStep = (each: string) => void steps.push(each);
      expect([step, (await ingest(pool, feed, { jobId }, { onStep })).status]).toEqual([step, 'merged']);
      // What was staged whole is not staged again.
      expect([step, steps.includes('stage')]).toEqual([step, ['open', 'stage', 'copy'].includes(step)]);
      expect(await kind.visible(name, false), step).toEqual(wanted.visible);
      expect(await runsOf(name), step).toEqual(wanted.runs);
      if (step === 'follow') expect(await kind.visible(name, true)).toEqual(after);
    });
    expect(await stages()).toEqual([]);
  },
);

test('a merge that is killed before its end marks no parcel, and its retry marks those that the layer covers', async () => {
  const marked = () =>
    all(pool, 'select property_id, layers from attributes_dirty where property_id < 3301900000004');
  const { feed, jobId } = await killedAt(ROADS, 'commit', 'marking');
  expect(await marked()).toEqual([]);
  await ingest(pool, feed, { jobId });
  // Two of the three lots lie beside the roads.
  expect(await marked()).toHaveLength(2);
});

test('a failure after the merge leaves the run merged', async () => {
  const { feed } = await feedFile(PARCELS, 'after');
  const onStep = async (step: string) => {
    if (step === 'follow') throw new Error('lost');
  };
  await expect(ingest(pool, feed, {}, { onStep })).rejects.toThrow('lost');
  expect((await runsOf('after')).runs).toMatchObject([{ status: 'merged' }]);
});

test('rows that a killed run staged from a file that has changed since are not used', async () => {
  const { feed, jobId } = await killedAt(PARCELS, 'merge', 'changed-since');
  writeFeatures(join(folder, 'changed-since.ndgeojson'), PARCELS.rows(1, FEW));
  const { status, counts } = await ingest(pool, feed, { jobId });
  expect([status, counts.unchanged, counts.rejected]).toEqual(['unchanged', FEW, {}]);
  expect(await runsOf('changed-since')).toMatchObject({ runs: [{}, { status: 'unchanged' }], rejects: [] });
});

test('leftovers of a killed run without a retry are cleared by the next run of the feed', async () => {
  const { feed, path } = await feedFile(PARCELS, 'abandoned');
  await once(child({ feed: path, jobId: null, dieAt: 'match' }), 'exit');
  expect(await stages()).toHaveLength(1);
  expect((await ingest(pool, feed)).status).toBe('merged');
  expect(await stages()).toEqual([]);
  const { runs } = await runsOf('abandoned');
  expect(runs.map(({ status }) => status)).toEqual(['failed', 'merged']);
});

test("two runs of one feed in two processes take turns; another feed doesn't wait", async () => {
  const [shared, other] = [await feedFile(ROADS, 'shared'), await feedFile(PARCELS, 'other')];
  const first = child({ feed: shared.path, jobId: null, waitAt: 'gate' });
  const output: string[] = [];
  first.stdout!.on('data', (data: Buffer) => output.push(...data.toString().trim().split('\n')));
  await expect.poll(() => output).toContain('gate');

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
  const { feed } = await feedFile(PARCELS, 'stopped');
  let go = () => {};
  const held = new Promise<void>(resolve => {
    go = resolve;
  });
  const steps: string[] = [];
  const onStep = (step: string) => {
    steps.push(step);
    return step === 'gate' ? held : undefined;
  };
  const first = ingest(pool, feed, {}, { onStep });
  await expect.poll(() => steps).toContain('gate');
  const stop = new AbortController();
  const asks = await lockAsks({ pool });
  const second = ingest(pool, feed, {}, { signal: stop.signal });
  await expect.poll(() => lockAsks({ pool })).toBeGreaterThan(asks);
  stop.abort(new Error('the worker stops'));
  await expect(second).rejects.toThrow('the worker stops');
  go();
  expect((await first).status).toBe('merged');
});
