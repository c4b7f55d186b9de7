import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { messageOf } from '../../shared/platform/errors.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import {
  assertClusterReady,
  DISTRIBUTION_COLUMNS,
  distribute,
  listNodePageCosts,
  listSharded,
} from '../../shared/platform/shards.ts';
import { settle } from '../db/attributes-support.ts';
import { createTestDatabase } from '../support/database.ts';
import { ingest, ingestRoll, lot } from '../support/ingest.ts';
import { sampleFeed } from '../support/layers.ts';
import { figuresOf, overlayOf, putOverlays } from '../support/overlays.ts';
import { insertParcels, square } from '../support/parcels.ts';
import { openTestDb, type TestDb } from '../support/test-db.ts';
import { valueMarket } from '../support/valuations.ts';
import { doJobs, openCaller, withQuotes } from './caller.ts';
import { FIELD, LATER, PAGES, PARCELS, QUESTIONS, type Question } from './questions.ts';

/**
 * The same program on a Citus cluster and on one server gives the same rows and the same answers, and asks no
 * more shards than it must.
 */

/** What differs between two loads of the same: ids of runs and the time. */
const PASSING = ['computed_at', 'created_run', 'changed_run', 'retired_run', 'retired_at', 'mark', 'chunk'];

async function tablesOf(pool: TestDb): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  // What was billed differs: one database answers more questions than the other.
  for (const table of Object.keys(DISTRIBUTION_COLUMNS).filter(name => name !== 'given_rows')) {
    const { rows: columns } = await pool.query<{ list: string }>(
      `select string_agg(
         case
           -- Of a word the same parcels, in any order.
           when attname = 'serials' then '(select string_agg(substring(serials from 4 * i + 1 for 4)::text, '''''
             || ' order by substring(serials from 4 * i + 1 for 4)) from generate_series(0, octet_length(serials) / 4 - 1) i)'
           when atttypid = any ('{point,box}'::regtype[]) then quote_ident(attname) || '::text'
           else quote_ident(attname)
         end,
         ', ' order by attname) as list
       from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> all ($2) and attname not like '%_runs'`,
      [table, PASSING],
    );
    const { rows } = await pool.query<{ hash: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(row_text, '' order by row_text collate "C")), '') as hash
       from (select row(${columns[0]!.list})::text as row_text from (select * from ${table} offset 0) all_rows) t`,
    );
    hashes[table] = rows[0]!.hash;
  }
  return hashes;
}

/**
 * Statements that ask many shards on purpose: of a list whose owners are anybody's, of the owners of a page
 * of a list, of the search box, of what a company was given before of the rows of a file, and of a GIS
 * program that reads all parcels.
 */
const ASKS_ALL =
  /\bfrom parcel_filters f\nwhere true\n|\bowned as materialized\b|\bo\.owner_key = any \(\$\d+::uuid\[\]\)|\b(?:owner|situs)_words w on w.word\b|\bjoin given_rows g on g.fips = h.fips\b/;

/** Hundreds of calls and pages, each on two databases. */
const MINUTES = 20 * 60_000;

/** EXPLAIN takes no COPY. */
const COPY = /^(?:\s|--[^\n]*\n)*copy\b/;

/** How many shards a statement asks, or why the cluster refuses it. */
async function shardsAsked(pool: TestDb, text: string, values: unknown[]): Promise<number | string> {
  try {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    const plan = rows.map(row => row['QUERY PLAN']).join('\n');
    return Math.max(0, ...[...plan.matchAll(/Task Count: (\d+)/g)].map(match => Number(match[1])));
  } catch (error) {
    return messageOf(error);
  }
}

/** Where two texts part, with what is around it. */
function firstDifference(onCluster: string, onOne: string) {
  let at = 0;
  while (onCluster[at] === onOne[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 120), at + 120);
  return { onCluster: around(onCluster), onOne: around(onOne) };
}

test('every operation is called on a cluster', () => {
  const names = [...QUESTIONS, ...LATER].map(([operation]) => operation);
  expect([...new Set(names)].sort()).toEqual(endpoints.map(one => one.operationId).sort());
});

if (process.env.TEST_CITUS_URL === undefined) {
  test.skip('a Citus cluster (TEST_CITUS_URL) responds as a single server does', () => {});
} else {
  const spread = await createTestDatabase({}, { sample: true });
  const plain = await createTestDatabase({}, { sample: true, plain: true });

  describe('the sample', () => {
    test('has the same rows', async () => {
      expect(await tablesOf(spread.pool)).toEqual(await tablesOf(plain.pool));
    });

    test('gives the same responses for every operation and page', { timeout: MINUTES }, async () => {
      const callers = await Promise.all([spread, plain].map(openCaller));
      const statuses = new Map<string, number[]>();
      const differing: object[] = [];
      let asked = 0;
      const askBoth = async (questions: readonly (Question | string)[]) => {
        for (const question of questions) {
          const [onCluster, onOne] = await Promise.all(callers.map(({ ask }) => ask(question)));
          asked++;
          if (!isDeepStrictEqual(onCluster, onOne))
            differing.push({
              question,
              ...firstDifference(JSON.stringify(onCluster), JSON.stringify(onOne)),
            });
          const name = typeof question === 'string' ? question : question[0];
          statuses.set(name, [...(statuses.get(name) ?? []), onOne!.status]);
        }
      };
      for (const { pool } of [spread, plain]) {
        await ingest(pool, await sampleFeed('naip-north-dakota'));
        await insertParcels(pool, [{ property_id: FIELD, boundary: square(-99.157, 47.0222, 0.005) }]);
        await putOverlays(
          pool,
          [overlayOf('zoning', ['R', 'C'], 1_000)],
          PARCELS.slice(0, 4).map((id, i) => figuresOf(id, 'zoning', { R: 20 * i }, { nearest_ft: 200 * i })),
        );
      }
      await askBoth(withQuotes(QUESTIONS));
      for (const db of [spread, plain]) await doJobs(db);
      await askBoth(withQuotes(LATER));
      await askBoth(PAGES);
      expect(differing).toEqual([]);
      // Each is answered once at least, in addition to what is not found, and none is a fault.
      for (const [name, seen] of statuses) {
        expect(Math.min(...seen), name).toBeLessThan(300);
        expect(Math.max(...seen), name).toBeLessThan(429);
      }
      expect(asked).toBeGreaterThan(200);
      process.stderr.write(`${asked} answers compared\n`);
    });

    test('is queried only in the shards of its counties', { timeout: MINUTES }, async () => {
      const { ask } = await openCaller(spread);
      const asking = vi.spyOn(pg.Client.prototype, 'query');
      for (const question of [...QUESTIONS, ...LATER, ...PAGES]) await ask(question);
      const asked = asking.mock.calls.map(
        ([config]) => config as unknown as { text?: string; values: unknown[] },
      );
      asking.mockRestore();
      const distributed = new RegExp(
        `\\b(?:from|join)\\s+(?:${Object.keys(DISTRIBUTION_COLUMNS).join('|')})\\b`,
      );
      const looked = asked.filter(
        ({ text = '' }) => distributed.test(text) && !COPY.test(text) && !ASKS_ALL.test(text),
      );
      expect(looked.length).toBeGreaterThan(40);
      const wide = new Map<string, number | string>();
      for (const { text, values } of looked) {
        const tasks = await shardsAsked(spread.pool, text!, values);
        // A tile at zoom 11 meets three counties; nothing else asks for more than two.
        if (typeof tasks === 'string' || tasks > 3) wide.set(text!.slice(0, 1_000), tasks);
      }
      expect([...wide]).toEqual([]);
    });
  });

  test('parcels that change, leave, and come back are merged the same way', async () => {
    const ZIP = '03280';
    const rolls = [
      [1, 2, 3, 4].map(n => ({ PIN: `${n}`, OWNER: `OWNER ${n}`, ZIP, at: n })),
      [1, 2, 5].map(n => ({
        PIN: `${n}`,
        OWNER: `OWNER ${n}${n === 2 ? ' JR' : ''}`,
        ZIP,
        at: n === 1 ? 9 : n,
      })),
      [1, 3, 5].map(n => ({ PIN: `${n}`, OWNER: `OWNER ${n}`, ZIP, at: n })),
    ];
    for (const db of [spread, plain]) {
      for (const roll of rolls) {
        const features = roll.map(({ at, ...properties }) => ({ properties, geometry: lot(at) }));
        const result = await ingestRoll(db.pool, db.folder, 'changing', features, {
          columns: { owner_name: 'OWNER', mail_address: 'OWNER', mail_zip: 'ZIP' },
          force: true,
        });
        expect(result.status).toBe('merged');
      }
    }
    expect(await tablesOf(spread.pool)).toEqual(await tablesOf(plain.pool));
  });

  test('a merge, the attributes, and the valuations of a county use one shard of each of its tables', async () => {
    await spread.pool.query(`alter database ${spread.name} set citus.log_remote_commands = on`);
    const pool = openTestDb(spread.config, { applicationName: 'told' });
    onTestFinished(() => pool.end());
    const shards = new Map(Object.keys(DISTRIBUTION_COLUMNS).map(table => [table, new Set<string>()]));
    pool.pool.on('connect', client =>
      client.on('notice', ({ message = '' }) => {
        for (const [, table, shard] of message.matchAll(/\b(\w+?)_(\d{6,})\b/g))
          shards.get(table!)?.add(shard!);
      }),
    );
    const { status } = await ingestRoll(pool, spread.folder, 'told', [
      { properties: { PIN: '1' }, geometry: lot(7) },
    ]);
    expect(status).toBe('merged');
    await settle(pool, LAND_KERNELS);
    await valueMarket(pool, { fips: 33_019 });
    // Owners have shards of their own, the plan looks for marks everywhere, and nobody was given rows.
    for (const [table, seen] of shards)
      if (!['owner_parcels', 'attributes_dirty', 'given_rows'].includes(table))
        expect(seen.size, table).toBe(1);
  });

  describe('plat migrate --distribute', () => {
    test('changes nothing when repeated, and refuses another number of shards', async () => {
      const again = await distribute(spread.url);
      expect(again.map(({ table, rows, shards }) => [table, rows, shards])).toEqual(
        Object.keys(DISTRIBUTION_COLUMNS).map(table => [table, null, 8]),
      );
      await expect(distribute(spread.url, 16)).rejects.toMatchObject({ code: 'citus_shards' });
      expect((await listSharded(spread.pool)).map(({ table }) => table)).toEqual(
        Object.keys(DISTRIBUTION_COLUMNS).sort(),
      );
      expect(await listNodePageCosts(spread.pool)).toEqual([]);
    });

    test('leaves a database without Citus unchanged', async () => {
      await expect(distribute(plain.url)).rejects.toMatchObject({ code: 'citus_missing' });
      expect(await listSharded(plain.pool)).toEqual([]);
      expect(await listNodePageCosts(plain.pool)).toEqual([]);
      expect(await migrate(plain.url)).toEqual([]);
    });

    test('warns if a node allows fewer prepared transactions than a process may need', async () => {
      await assertClusterReady(spread.pool, 10);
      await expect(assertClusterReady(spread.pool, 1_000_000)).rejects.toMatchObject({
        code: 'citus_prepared',
      });
    });
  });
}
