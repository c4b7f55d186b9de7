import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { LOCKS } from '../../../shared/platform/locks.ts';
import { statement } from '../../../shared/platform/statements.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { all, type Feature, ingestRoll, lot, writeFeatures } from '../../support/ingest.ts';
import { commandsOn } from '../../support/plat.ts';

/** A second file for a county that is loaded must not make its parcels twice. */

const db = await createTestDatabase();
const { folder, pool } = db;
const { plat } = commandsOn(db);

const parcel = (n: number, more: Record<string, unknown> = {}, at = n): Feature => ({
  properties: { PIN: `P${n}`, APN: `0-${n}`, OWNER: `OWNER ${n}`, TOWN: null, ...more },
  geometry: lot(at),
});
const parcels = (from: number, to: number, more: Record<string, unknown> = {}): Feature[] =>
  Array.from({ length: to - from }, (_, i) => parcel(from + i, more));

const merge = (name: string, features: Feature[], more: Record<string, unknown> = {}) =>
  ingestRoll(pool, folder, name, features, {
    columns: { apn: 'APN', owner_name: 'OWNER', situs_city: 'TOWN' },
    overlap: 'block',
    gates: { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false },
    ...more,
  });

type Row = { key: string; feed: string; id: number; owner: string; gone: boolean };

const onRoll = () =>
  all<Row>(
    pool,
    `select p.source_key as key, f.name as feed, p.property_id::float8 as id, p.owner_name as owner, p.retired_at is not null as gone
     from parcels p join feeds f on f.id = p.feed_id
     where p.fips = 33019 order by p.property_id`,
  );

function feedsOf(rows: readonly Row[]): Record<string, number> {
  const parcels: Record<string, number> = {};
  for (const { feed } of rows) parcels[feed] = (parcels[feed] ?? 0) + 1;
  return parcels;
}

beforeEach(async () => {
  await pool.query(
    'truncate parcels, parcel_filters, owner_parcels, county_coverage, county_serials, changes; delete from runs; delete from feeds',
  );
  expect((await merge('first', parcels(1, 31))).status).toBe('merged');
});

describe('parcels that another feed has', () => {
  test('block a run, which says how many there are', async () => {
    const before = await onRoll();
    const run = await merge('second', parcels(21, 61, { OWNER: 'NEW' }));
    expect(run.status).toBe('blocked');
    expect(run.blocked.map(({ gate }) => gate)).toEqual(['overlap']);
    const [{ figures }] = (await all<{ figures: { overlap: unknown } }>(
      pool,
      `select gate -> 'figures' as figures from runs where status = 'blocked'`,
    )) as [{ figures: { overlap: unknown } }];
    expect(figures.overlap).toEqual([{ feed: 'first', parcels: 30, again: 10 }]);
    expect(await onRoll()).toEqual(before);
  });

  test('are named by a suggestion, which leaves nothing behind', async () => {
    const file = join(folder, 'new-file.ndgeojson');
    const tables = () => all(pool, `select nspname from pg_namespace where nspname like 'stage%'`);
    const before = await tables();
    const suggest = async (...more: string[]) => {
      const { out, err } = await plat('feed', 'suggest', file, '--print', '--json', ...more);
      expect(err).toBe('');
      return (JSON.parse(out) as { loaded: unknown[] }).loaded;
    };
    writeFeatures(file, parcels(21, 61, { OWNER: 'NEW' }));
    expect(await suggest('--fips', '33019')).toEqual([{ feed: 'first', parcels: 30, again: 10 }]);
    // The feed itself may read its parcels again.
    expect(await suggest('--fips', '33019', '--name', 'first')).toEqual([]);
    writeFeatures(file, parcels(41, 61));
    expect(await suggest('--fips', '33019')).toEqual([]);
    expect(await tables()).toEqual(before);
  });

  test('are recognized by their parcel number when the keys differ', async () => {
    const other = parcels(1, 31).map((feature, i) => ({
      ...feature,
      properties: { ...feature.properties, PIN: `X${i}`, APN: `0.${i + 1}` },
    }));
    // 0-1 to 0-9 have two characters without the dash, which say too little.
    expect((await merge('second', other)).blocked.map(({ gate }) => gate)).toEqual(['overlap']);
    expect((await merge('second', other.slice(0, 9))).status).toBe('merged');
  });

  test('are other parcels if they lie elsewhere, or in another town', async () => {
    const far = parcels(1, 31).map(({ properties }, i) => ({ properties, geometry: lot(i + 1, 0.1) }));
    expect((await merge('far', far)).status).toBe('merged');
    expect(feedsOf(await onRoll())).toEqual({ first: 30, far: 30 });
    const unplaced = (town: string) =>
      parcels(1, 31, { TOWN: town }).map(({ properties }) => ({ properties, geometry: null }));
    await pool.query("update parcels set situs_city = 'LEMPSTER'");
    expect((await merge('town', unplaced('Goshen'))).status).toBe('merged');
    expect((await merge('same', unplaced('Lempster'))).status).toBe('blocked');
  });

  test('overlap: add leaves them to their feed, counts them, and adds the others', async () => {
    const run = await merge('second', parcels(21, 61, { OWNER: 'NEW' }), { overlap: 'add' });
    expect(run).toMatchObject({ status: 'merged', counts: { new: 30, of_other_feeds: 10 } });
    const rows = await onRoll();
    expect(feedsOf(rows)).toEqual({ first: 30, second: 30 });
    expect(rows.filter(({ feed }) => feed === 'first').every(({ owner }) => owner !== 'NEW')).toBe(true);
    // The same again changes nothing.
    expect(await merge('second', parcels(21, 61, { OWNER: 'NEW' }), { overlap: 'add' })).toMatchObject({
      counts: { new: 0, retired: 0 },
    });
  });

  test('a forced run adds no parcel twice', async () => {
    expect((await merge('second', parcels(21, 61), { force: true })).status).toBe('merged');
    expect(feedsOf(await onRoll())).toEqual({ first: 30, second: 30 });
  });

  test('overlap: update takes them over with their ids, and no others', async () => {
    const before = await onRoll();
    const run = await merge('second', parcels(21, 61, { OWNER: 'NEW' }), { overlap: 'update' });
    expect(run).toMatchObject({
      status: 'merged',
      counts: { new: 30, changed: 10, retired: 0, taken_over: 10 },
    });
    const rows = await onRoll();
    expect(feedsOf(rows)).toEqual({ first: 20, second: 40 });
    expect(rows.slice(0, 30).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(rows[20]).toMatchObject({ feed: 'second', owner: 'NEW' });
    // The first feed says so now, instead of loading its parcels again.
    expect((await merge('first', parcels(1, 31))).blocked.map(({ gate }) => gate)).toEqual(['overlap']);
    const [coverage] = await all<{ parcels: number; feeds: number }>(
      pool,
      'select parcels, cardinality(feed_ids) as feeds from county_coverage where fips = 33019',
    );
    expect(coverage).toEqual({ parcels: 60, feeds: 2 });
  });

  test("overlap: replace takes all over, and retires those that the file doesn't have", async () => {
    const before = await onRoll();
    const run = await merge('second', parcels(21, 61, { OWNER: 'NEW' }), { overlap: 'replace' });
    expect(run).toMatchObject({
      status: 'merged',
      counts: { new: 30, changed: 10, retired: 20, taken_over: 30 },
    });
    const rows = await onRoll();
    expect(feedsOf(rows)).toEqual({ second: 60 });
    expect(rows.filter(({ gone }) => gone).map(({ id }) => id)).toEqual(
      before.slice(0, 20).map(({ id }) => id),
    );
  });

  test('a feed under another name keeps every id and changes nothing', async () => {
    const before = await onRoll();
    const run = await merge('renamed', parcels(1, 31), { overlap: 'replace' });
    expect(run).toMatchObject({
      status: 'merged',
      counts: { new: 0, changed: 0, retired: 0, taken_over: 30 },
    });
    expect(await onRoll()).toEqual(before.map(row => ({ ...row, feed: 'renamed' })));
    const [coverage] = await all<{ parcels: number; feeds: number }>(
      pool,
      'select parcels, cardinality(feed_ids) as feeds from county_coverage where fips = 33019',
    );
    expect(coverage).toEqual({ parcels: 30, feeds: 1 });
    expect(await merge('renamed', parcels(1, 31), { overlap: 'replace' })).toMatchObject({
      counts: { changed: 0, unchanged: 30 },
    });
  });

  test('a key that the feed itself has retired may be taken over with another parcel', async () => {
    await merge('second', parcels(41, 71));
    await merge('second', parcels(51, 71));
    await merge('first', parcels(1, 46), { overlap: 'add' });
    const run = await merge('second', parcels(41, 71), { overlap: 'update' });
    expect(run.status).toBe('merged');
    const active = (await onRoll()).filter(({ gone }) => !gone);
    expect(new Set(active.map(({ key }) => key)).size).toBe(active.length);
    expect(active.length).toBe(70);
  });

  test('two feeds that bring the same parcels at the same moment exclude each other', async () => {
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(statement('land/lock_counties', { lock: LOCKS.countyRoll, counties: [33_019] }));
    const runs = ['second', 'third'].map(name =>
      merge(name, parcels(1, 41, { OWNER: name }), { overlap: 'replace' }),
    );
    await expect.poll(() => lockWaits(db), { timeout: 20_000 }).toBe(2);
    await holder.query('commit');
    holder.release();
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(['merged', 'merged']);
    const active = (await onRoll()).filter(({ gone }) => !gone);
    expect(active).toHaveLength(40);
    expect(Object.keys(feedsOf(active))).toHaveLength(1);
    expect(new Set(active.map(({ owner }) => owner)).size).toBe(1);
  });
});
