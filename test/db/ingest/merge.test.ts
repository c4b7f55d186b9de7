import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { sqMToAcres } from '../../../shared/geo/geodesic-area.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  all,
  type Feature,
  ingest,
  ingestRoll,
  lot,
  one,
  rollFeed,
  square,
  writeFeatures,
} from '../../support/ingest.ts';

const { folder, pool, url } = await createTestDatabase();

const COLUMNS = { owner_name: 'OWNER', assessed_total_value: 'VALUE' };

function roll(name: string, fips: string | null = '33019') {
  const columns = fips === null ? { ...COLUMNS, fips: 'FIPS' } : COLUMNS;
  const gates = { max_key_drop_percent: 100, max_row_drop_percent: 100, max_outside_percent: 100 };
  const feed = rollFeed(folder, name, columns, { fips: fips ?? undefined, gates });
  return (features: Feature[], onStep?: (step: string) => void | Promise<void>) => {
    writeFeatures(join(folder, `${name}.ndgeojson`), features);
    return ingest(pool, feed, {}, onStep ? { onStep } : {});
  };
}

const parcel = (pin: string, n: number, more: Record<string, unknown> = {}): Feature => ({
  properties: { PIN: pin, OWNER: `OWNER ${pin}`, VALUE: 1, ...more },
  geometry: lot(n),
});
const parcels = (count: number, value: number): Feature[] =>
  Array.from({ length: count }, (_, n) => parcel(`P${n}`, n % 1000, { VALUE: value }));

type Stored = {
  source_key: string;
  property_id: number;
  fips: number;
  retired: boolean;
  written: string;
  owner_name: string;
};
const stored = (name: string) =>
  all<Stored>(
    pool,
    `select source_key, property_id, fips, retired_at is not null as retired, p.xmin::text as written, owner_name
     from parcels p join feeds f on f.id = p.feed_id where f.name = $1 order by property_id`,
    [name],
  );
function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>(done => {
    resolve = done;
  });
  return { promise, resolve };
}
const summary = async (name: string) =>
  (await stored(name)).map(row => [
    row.source_key,
    row.property_id % 100_000_000,
    row.retired ? 'retired' : '',
  ]);

test('two feeds of a county that merge at once both count in its coverage', async () => {
  const merged = deferred();
  const release = deferred();
  const [merge, other] = [roll('beside-a', '33011'), roll('beside-b', '33011')];
  // On the roll before: new parcels would wait for each other's serials.
  await merge(parcels(5, 1));
  await other(parcels(3, 1));
  const first = merge(parcels(4, 2), async step => {
    if (step !== 'commit') return;
    merged.resolve();
    await release.promise;
  });
  await merged.promise;
  const second = other(parcels(2, 2));
  const waiting = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await one<{ n: number }>(pool, waiting)).n).toBe(1);
  release.resolve();
  expect((await first).status).toBe('merged');
  expect((await second).status).toBe('merged');
  expect(
    await one<{ parcels: number }>(pool, 'select parcels from county_coverage where fips = 33011'),
  ).toEqual({ parcels: 6 });
});

test('the same file again writes nothing and says so', async () => {
  const run = roll('again');
  expect(await run(parcels(50, 1))).toMatchObject({ status: 'merged', counts: { new: 50, unchanged: 0 } });
  const before = await stored('again');
  expect(await run(parcels(50, 1))).toMatchObject({
    status: 'unchanged',
    counts: { new: 0, changed: 0, retired: 0, returned: 0, unchanged: 50 },
  });
  expect(await stored('again')).toEqual(before);

  const changed = parcels(50, 1);
  changed[7] = parcel('P7', 7, { OWNER: 'ANOTHER' });
  changed[8] = { ...changed[8]!, geometry: lot(8, 0.0011) };
  expect(await run(changed)).toMatchObject({ status: 'merged', counts: { changed: 2, unchanged: 48 } });
  const after = await stored('again');
  expect(after.filter((row, i) => row.written !== before[i]!.written).map(row => row.source_key)).toEqual([
    'P7',
    'P8',
  ]);
});

test('ids: fips times 100,000,000 and a serial, kept by parcels that leave and return, and never reused', async () => {
  const run = roll('ids', '33001');
  const some = (...pins: string[]) => pins.map((pin, n) => parcel(pin, n));
  await run(some('A', 'B', 'C'));
  expect(await summary('ids')).toEqual([
    ['A', 1, ''],
    ['B', 2, ''],
    ['C', 3, ''],
  ]);
  expect((await stored('ids'))[0]!.property_id).toBe(3_300_100_000_001);

  expect((await run(some('A', 'C'))).counts).toMatchObject({ retired: 1, new: 0 });
  expect(await summary('ids')).toEqual([
    ['A', 1, ''],
    ['B', 2, 'retired'],
    ['C', 3, ''],
  ]);

  expect((await run(some('A', 'D'))).counts).toMatchObject({ retired: 1, new: 1 });
  expect((await run(some('A', 'D'))).status).toBe('unchanged');
  expect((await run(some('D', 'B', 'A', 'E'))).counts).toMatchObject({ returned: 1, new: 1, retired: 0 });
  expect(await summary('ids')).toEqual([
    ['A', 1, ''],
    ['B', 2, ''],
    ['C', 3, 'retired'],
    ['D', 4, ''],
    ['E', 5, ''],
  ]);
});

test('two feeds of one county at once share its serials without collision', async () => {
  const [either, two] = [roll('first', '33003'), roll('second', '33003')];
  await Promise.all([either(parcels(300, 1)), two(parcels(300, 1))]);
  await Promise.all([either(parcels(400, 1)), two(parcels(450, 1))]);
  const serials = [...(await stored('first')), ...(await stored('second'))].map(
    row => row.property_id - 3_300_300_000_000,
  );
  expect(serials.sort((a, b) => a - b)).toEqual(Array.from({ length: 850 }, (_, i) => i + 1));
});

test("a feed of several counties in two states; two such feeds at once don't lock each other out", async () => {
  const fips = ['33005', '50001', '33007', '50003'];
  const rows = (shift: number) =>
    Array.from({ length: 400 }, (_, n) => parcel(`P${n}`, n, { FIPS: fips[(n + shift) % 4] }));
  const feeds = [roll('states-1', null), roll('states-2', null)];
  const results = await Promise.all(feeds.map((run, i) => run(i === 0 ? rows(0) : rows(1).reverse())));
  expect(results.map(result => result.counts.new)).toEqual([400, 400]);
  const counties = await all(
    pool,
    `select p.tableoid::regclass::text as partition, fips, count(*)::int as parcels, min(property_id) as first, max(property_id) as last
     from parcels p join feeds f on f.id = p.feed_id where f.name like 'states-%' group by 1, 2 order by fips`,
  );
  expect(counties).toEqual(
    [33005, 33007, 50001, 50003].map(code => ({
      partition: `parcels_${Math.floor(code / 1000)}`,
      fips: code,
      parcels: 200,
      first: code * 100_000_000 + 1,
      last: code * 100_000_000 + 200,
    })),
  );
});

/**
 * Looks at the parcels of a feed without pause until told to stop; a look that has to wait for a lock fails.
 */
async function watch(name: string): Promise<() => Promise<{ seen: string[]; looks: number }>> {
  const client = new pg.Client({ connectionString: url, options: '-c lock_timeout=20' });
  await client.connect();
  const seen = new Set<string>();
  let stopped = false;
  let looks = 0;
  const watching = (async () => {
    for (let last = false; !last; await sleep(2)) {
      last = stopped;
      const { rows } = await client.query<{ text: string }>(
        `select concat(count(*), ' parcels of value ', string_agg(distinct assessed_total_value::text, ' and ')) as text
         from parcels p where retired_at is null and feed_id = (select id from feeds where name = $1)`,
        [name],
      );
      seen.add(rows[0]!.text);
      looks++;
    }
    await client.end();
  })();
  // Looked at when the test stops watching.
  watching.catch(() => {});
  return async () => {
    stopped = true;
    await watching;
    return { seen: [...seen], looks };
  };
}

test('readers see the old roll or the new one, and are not blocked, while a state is added and 5,000 rows are merged', async () => {
  const run = roll('watched', '23019');
  const stop = await watch('watched');
  await run(parcels(5_000, 1));
  // Changed, retired and new parcels at once.
  await run([
    ...parcels(5_000, 2).slice(0, 4_000),
    ...Array.from({ length: 500 }, (_, n) => parcel(`N${n}`, n, { VALUE: 2 })),
  ]);
  const { seen, looks } = await stop();
  expect(seen).toEqual(['0 parcels of value ', '5000 parcels of value 1', '4500 parcels of value 2']);
  expect(looks).toBeGreaterThan(20);
});

test('a merge that is based on an outdated comparison is refused, and the retry completes', async () => {
  const run = roll('overtaken', '33009');
  await run(parcels(4, 2));
  const before = await stored('overtaken');
  const failing = run(parcels(5, 3), async step => {
    if (step !== 'gate') return;
    // As if the lock had been lost and another run of the feed merged meanwhile.
    await pool.query(
      `insert into runs (feed_id, status, counts, requested_by, finished_at)
       select feed_id, 'unchanged', counts, 'test', clock_timestamp() from runs where status = 'merged' order by id desc limit 1`,
    );
  });
  await expect(failing).rejects.toMatchObject({ code: 'overtaken', retryable: true });
  expect(await stored('overtaken')).toEqual(before);
  expect((await run(parcels(5, 3))).counts).toMatchObject({ new: 1, changed: 4 });
});

test('staging leaves nothing behind, whether a run merges, blocks, or fails', async () => {
  const run = roll('clean', '33011');
  await run(parcels(3, 1));
  await run([]);
  await expect(run([{ properties: { OTHER: 1 }, geometry: null }])).rejects.toMatchObject({
    code: 'feed_mapping',
  });
  await expect(
    run(parcels(3, 2), step => {
      if (step === 'commit') throw new Error('boom');
    }),
  ).rejects.toThrow('boom');
  expect(await all(pool, "select nspname from pg_namespace where nspname like 'stage%'")).toEqual([]);
  expect(
    await all(
      pool,
      "select status from runs r join feeds f on f.id = r.feed_id where name = 'clean' order by r.id",
    ),
  ).toEqual(['merged', 'blocked', 'failed', 'failed'].map(status => ({ status })));
  expect((await stored('clean')).map(row => row.source_key)).toEqual(['P0', 'P1', 'P2']);
});

test('rows of a former county of Connecticut are parcels of its planning regions; rows without a known one are rejected', async () => {
  const rows = [
    { properties: { PIN: 'A', TOWN: 'SHELTON' }, geometry: square(-73.1, 41.31, 0.001) },
    { properties: { PIN: 'B', TOWN: 'Sandy Hook' }, geometry: square(-73.28, 41.42, 0.001) },
    { properties: { PIN: 'C', TOWN: 'Trumbull' }, geometry: null },
    { properties: { PIN: 'D', TOWN: null }, geometry: null },
  ];
  const { counts, runId } = await ingestRoll(pool, folder, 'fairfield', rows, {
    fips: '09001',
    columns: { situs_city: 'TOWN' },
    gates: { max_reject_percent: 50 },
  });
  expect(
    await all(pool, 'select fips, source_key as key from parcels where fips / 1000 = 9 order by 2'),
  ).toEqual([
    { fips: 9140, key: 'A' },
    { fips: 9190, key: 'B' },
    { fips: 9120, key: 'C' },
  ]);
  expect(counts.rejected).toEqual({ former_county: 1 });
  expect(await one(pool, 'select message from run_rejects where run_id = $1', [runId])).toEqual({
    message: expect.stringMatching(/\b09001\b.*Connecticut/),
  });
});

test('a parcel larger than its lot: stated acres take precedence over measured ones, and 0 counts as not stated', async () => {
  const lots = [
    { properties: { PIN: 'A', ACRES: 5 }, geometry: square(-72.15, 43.2, 0.001) },
    { properties: { PIN: 'B', ACRES: 0 }, geometry: square(-72.15, 43.2, 0.001) },
    { properties: { PIN: 'C', ACRES: null }, geometry: null },
  ];
  const gates = { max_outside_percent: 100 };
  await ingestRoll(pool, folder, 'acres', lots, { fips: '33013', columns: { acres: 'ACRES' }, gates });
  const rows = await all<{ acres: number; calculated_acres: number; effective_acres: number }>(
    pool,
    'select acres, calculated_acres, effective_acres from parcels where fips = 33013 order by source_key',
  );
  expect(rows.map(row => row.acres)).toEqual([5, null, null]);
  // 0.001 degree of longitude and of latitude at 43.2 degrees north.
  expect(rows[1]!.calculated_acres).toBeCloseTo(sqMToAcres(81.31 * 111.09), 1);
  expect(rows.map(row => row.effective_acres)).toEqual([5, rows[1]!.calculated_acres, null]);
  expect(
    (
      await one<{ n: number }>(
        pool,
        'select count(*)::int as n from parcels where fips = 33013 and location is null',
      )
    ).n,
  ).toBe(1);
});
