import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig } from '../../shared/platform/config.ts';
import { isRetryable } from '../../shared/platform/errors.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import { listPreparedTransactions } from '../../shared/platform/shards.ts';
import { loadFeed } from '../../workers/ingest/load-feeds.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { startCitusServer, watchLine } from '../support/citus-servers.ts';
import { spreadOver } from '../support/cluster.ts';
import type { TestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { all, ingest, insertRegions, lot, one, writeFeatures } from '../support/ingest.ts';
import { startProgram } from '../support/programs.ts';
import { onServer, withDatabase } from '../support/server.ts';
import { openTestDb, type TestDb } from '../support/test-db.ts';
import { eventually } from '../support/workers.ts';

/**
 * A merge over two nodes of a cluster, of which one, the coordinator or the worker that merges dies between
 * the two phases of its commit.
 */

const bin = await citusFolder();

/** Where the programs of the given cluster's servers are, when that is a folder of this host. */
async function citusFolder(): Promise<string | undefined> {
  const given = process.env.TEST_CITUS_URL;
  if (given === undefined) return undefined;
  const { rows } = await onServer(given, client =>
    client.query<{ folder: string }>("select setting as folder from pg_config where name = 'BINDIR'"),
  );
  return rows.map(row => row.folder).find(folder => existsSync(join(folder, 'initdb')));
}

if (bin === undefined) {
  test.skip('servers of a Citus cluster die while a merge commits (TEST_CITUS_URL, a server of this host)', () => {});
} else {
  const folder = testFolder();
  const [coordinator, near, far] = await Promise.all(
    ['coordinator', 'near', 'far'].map(name => startCitusServer(bin, name)),
  );
  const lines = { near: await watchLine(near!), far: await watchLine(far!) };
  const server = coordinator!.url;
  await onServer(server, client => client.query('create database plat'));
  await migrate(withDatabase(server, 'plat'));
  await spreadOver(server, 'plat', 8, [
    { host: '127.0.0.1', port: coordinator!.port, coordinator: true },
    ...Object.values(lines).map(({ port }) => ({ host: '127.0.0.1', port, coordinator: false })),
  ]);
  const config = loadConfig({ LOG_LEVEL: 'silent', DATABASE_URL: withDatabase(server, 'plat') });
  const openPool = () => openTestDb(config, { applicationName: 'plat test' });
  const regions = openPool();
  await insertRegions(regions, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);
  await regions.end();
  /**
   * A roll of 40 parcels, and what a year changes in it: owners who move, a parcel that is gone,
   * one that has come.
   */
  const roll = (year: 1 | 2) =>
    Array.from({ length: 41 }, (_, n) => ({
      properties: { PIN: `P${n}`, STREET: `${n} ${n % 2 < year - 1 ? 'OAK' : 'ELM'} ST`, ZIP: '03280' },
      geometry: lot(n),
    })).slice(year - 1, 39 + year);

  /** How often the coordinator looks for transactions that are left prepared; never by -1. */
  const setRecovery = (interval: string) =>
    onServer(config.DATABASE_URL!, async client => {
      await client.query(`alter system set citus.recover_2pc_interval = '${interval}'`);
      await client.query('select pg_reload_conf()');
    });
  await setRecovery('-1');

  /** With connections that know no server of before a death. */
  function freshPool(): TestDb {
    const pool = openPool();
    onTestFinished(() => pool.end());
    return pool;
  }

  test.each([
    ['PREPARE TRANSACTION', 'worker', false],
    // Whether the other node has answered decides what is left there.
    ['PREPARE TRANSACTION', 'node', undefined],
    ['PREPARE TRANSACTION', 'coordinator', true],
    ['COMMIT PREPARED', 'worker', false],
    ['COMMIT PREPARED', 'node', true],
    ['COMMIT PREPARED', 'coordinator', true],
  ] as const)('at %s the %s dies', async (word, who, left) => {
    const name = `${word.split(' ')[0]!.toLowerCase()}-${who}`;
    const path = join(folder, `${name}.yaml`);
    const source = `${name}.ndgeojson`;
    const columns = { mail_address: 'STREET', mail_zip: 'ZIP' };
    const read = { source, format: 'ndgeojson', key: 'PIN', columns };
    writeFileSync(
      path,
      stringify({ name, kind: 'assessor', fips: '33019', overlap: 'separate', roll: read }),
    );
    const feed = await loadFeed(path);
    writeFeatures(join(folder, source), roll(1));
    const before = freshPool();
    expect((await ingest(before, feed)).status).toBe('merged');

    writeFeatures(join(folder, source), roll(2));
    const jobId = randomUUID();
    const { held, release } = lines.far.holdAt(word);
    const dying = { node: far!, coordinator: coordinator! };
    if (who === 'worker') {
      const child = startProgram(
        'test/support/ingest-child.ts',
        { DATABASE_URL: config.DATABASE_URL!, LOG_LEVEL: 'error' },
        { args: [JSON.stringify({ feed: path, jobId })], stdio: ['pipe', 'ignore', 'inherit'] },
      );
      await held;
      child.kill('SIGKILL');
      release();
      await once(child, 'exit');
    } else {
      const attempt = ingest(before, feed, { jobId }).catch(isRetryable);
      await held;
      await dying[who].kill();
      release();
      await dying[who].start();
      expect([true, expect.objectContaining({ status: 'merged' })]).toContainEqual(await attempt);
    }

    const pool = freshPool();
    const waiting = async () => (await listPreparedTransactions(pool, 0)).length > 0;
    if (left !== undefined) await eventually(async () => (await waiting()) === left);
    // The job begins again before they are resolved, and waits where it has to.
    const retry = ingest(pool, feed, { jobId });
    await setRecovery('1s');
    expect((await retry).status).toBe('merged');
    await eventually(async () => !(await waiting()));
    await setRecovery('-1');

    const runs = 'select status from runs r join feeds f on f.id = r.feed_id where f.name = $1';
    expect(await all(pool, runs, [name])).toEqual([{ status: 'merged' }, { status: 'merged' }]);
    const parcels = await all(
      pool,
      `select source_key as "PIN", mail_address as "STREET", mail_zip as "ZIP" from parcels
       where fips = 33019 and feed_id = (select id from feeds where name = $1) and retired_at is null
       order by property_id`,
      [name],
    );
    expect(parcels).toEqual(roll(2).map(({ properties }) => properties));
    const owners = await all(pool, 'select owner_key, property_id from owner_parcels order by property_id');
    const filters =
      'select owner_key, property_id from parcel_filters where fips = 33019 order by property_id';
    expect(owners).toEqual(await all(pool, filters));
  });

  test('while a node is down, calls for its counties fail temporarily, and others succeed', async () => {
    const pool = freshPool();
    const db = { pool, url: config.DATABASE_URL! } as TestDatabase;
    const api = await startTestApi(db);
    const { key } = await newCaller(db);
    const { port } = await one<{ port: number }>(
      pool,
      `select nodeport as port from citus_shards where shardid = get_shard_id_for_distribution_column('parcels', 33019)`,
    );
    const node = port === lines.near.port ? near! : far!;
    const get = (path: string) => api.call(`/api/public/v1/${path}`, { key });
    expect((await get('properties/3301900000041/')).status).toBe(200);
    await node.kill();
    const reply = await get('properties/3301900000041/');
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await get('coverage/33019/')).status).toBe(200);
    await node.start();
    expect((await get('properties/3301900000041/')).status).toBe(200);
  });
}
