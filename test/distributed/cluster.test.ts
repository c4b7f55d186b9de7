import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endpoints } from '../../api/endpoints.ts';
import { createKey } from '../../shared/accounts/accounts.ts';
import { createPool, type Pool } from '../../shared/base/db.ts';
import { createLogger } from '../../shared/base/log.ts';
import { migrate } from '../../shared/base/migrate.ts';
import {
  assertClusterReady,
  DISTRIBUTION_COLUMNS,
  distribute,
  listNodePageCosts,
  listSharded,
} from '../../shared/base/shards.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { settle } from '../db/attributes-support.ts';
import { posting, startTestApi } from '../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { doDealJobs } from '../support/deals.ts';
import { ingest, ingestRoll, lot } from '../support/ingest.ts';
import { sampleFeed } from '../support/layers.ts';
import { insertParcels, square } from '../support/parcels.ts';
import { valueMarket } from '../support/valuations.ts';
import { newUser, visitor } from '../support/visitor.ts';
import { FIELD, LATER, QUESTIONS, type Question } from './questions.ts';

/**
 * The same program on a Citus cluster and on one server gives the same rows and the same answers, and asks no
 * more shards than it must.
 */

/** Pages of the web app that read parcels, and the tiles of its map from the nation down to a street. */
const PAGES = [
  '/data?county=33019',
  '/data?parcel=3301900000100',
  '/data/box.json?county=33019&value_min=1000',
  '/data?county=33019&view=table&order=-value',
  '/data?county=33019&color=value_per_acre',
  '/coverage',
  '/coverage/values.json',
  '/coverage/33019',
  '/lists',
  '/markets?type=zip&state=NH',
  '/markets/values.json',
  '/markets/33019',
  '/markets/zip/03280',
  '/deals',
  '/deals/export.csv',
  '/exports',
  '/comping',
  '/comping/{report_id}',
  '/comping/{report_id}/comps.csv',
  ...['9/153/187', '11/613/751', '13/2455/3004', '16/19642/24036'].flatMap(tile => [
    `/tiles/parcels/${tile}.mvt`,
    `/tiles/parcels/${tile}.mvt?county=33019&color=slope`,
  ]),
];

/** What differs between two loads of the same: ids of runs and the time. */
const PASSING = ['computed_at', 'created_run', 'changed_run', 'retired_run', 'retired_at', 'mark', 'chunk'];

async function tablesOf(pool: Pool): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const table of Object.keys(DISTRIBUTION_COLUMNS)) {
    const { rows: columns } = await pool.query<{ list: string }>(
      `select string_agg(quote_ident(attname) || case when atttypid = any ('{point,box}'::regtype[]) then '::text' else '' end, ', '
         order by attname) as list
       from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> all ($2) and attname not like '%_runs'`,
      [table, PASSING],
    );
    const { rows } = await pool.query<{ hash: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(row_text, '' order by row_text collate "C")), '') as hash
       from (select row(${columns[0]!.list})::text as row_text from ${table}) t`,
    );
    hashes[table] = rows[0]!.hash;
  }
  return hashes;
}

test('a cluster is asked for every operation', () => {
  const names = [...QUESTIONS, ...LATER].map(([operation]) => operation);
  expect([...new Set(names)].sort()).toEqual(endpoints.map(one => one.operationId).sort());
});

if (process.env.TEST_CITUS_URL === undefined) {
  test.skip('a Citus cluster (TEST_CITUS_URL) answers as one server does', () => {});
} else {
  const spread = await createTestDatabase({}, { sample: true });
  const plain = await createTestDatabase({}, { sample: true, plain: true });

  describe('the sample', () => {
    test('has the same rows', async () => {
      expect(await tablesOf(spread.pool)).toEqual(await tablesOf(plain.pool));
    });

    test('gives the same answers to every operation and page', async () => {
      const callers = await Promise.all([spread, plain].map(openCaller));
      const askBoth = async (asked: Question | string) => {
        const [on, off] = await Promise.all(callers.map(call => call(asked)));
        expect(on, JSON.stringify(asked)).toEqual(off);
        return on!;
      };
      const statuses = new Map<string, number[]>();
      for (const { pool } of [spread, plain]) {
        await ingest(pool, await sampleFeed('naip-north-dakota'));
        await insertParcels(pool, [{ property_id: FIELD, boundary: square(-99.157, 47.0222, 0.005) }]);
      }
      for (const question of QUESTIONS)
        statuses.set(question[0], [...(statuses.get(question[0]) ?? []), (await askBoth(question)).status]);
      for (const { pool } of [spread, plain]) {
        await doDealJobs(pool);
        await prepareCounty(pool, 33_019, new AbortController().signal);
      }
      for (const question of LATER) statuses.set(question[0], [(await askBoth(question)).status]);
      // Each is answered once at least, beside what is not found.
      for (const [operation, seen] of statuses) expect(Math.min(...seen), operation).toBeLessThan(300);
      for (const page of PAGES) expect((await askBoth(page)).status, page).toBe(200);
    });

    test('is asked for in the shards of its counties alone', async () => {
      const call = await openCaller(spread);
      const asking = vi.spyOn(pg.Client.prototype, 'query');
      for (const question of [...QUESTIONS, ...LATER, ...PAGES]) await call(question);
      const asked = asking.mock.calls.map(
        ([config]) => config as unknown as { text?: string; values: unknown[] },
      );
      asking.mockRestore();
      const distributed = new RegExp(
        `\\b(?:from|join)\\s+(?:${Object.keys(DISTRIBUTION_COLUMNS).join('|')})\\b`,
      );
      // The owners of a list are anybody's, and have shards of their own.
      const looked = asked.filter(
        ({ text = '' }) => distributed.test(text) && !/\bowned as materialized\b/.test(text),
      );
      expect(looked.length).toBeGreaterThan(40);
      for (const { text, values } of looked) {
        const { rows } = await spread.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        const plan = rows.map(row => row['QUERY PLAN']).join('\n');
        const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(match => Number(match[1]));
        // A tile at zoom 11 meets three counties; nothing else asks for more than two.
        expect(Math.max(0, ...tasks), `${text}\n${plan}`).toBeLessThanOrEqual(3);
      }
    });
  });

  test('parcels that change, leave and come back are merged alike', async () => {
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

  test('a merge, the attributes and the values of a county touch one shard of each of its tables', async () => {
    await spread.pool.query(`alter database ${spread.name} set citus.log_remote_commands = on`);
    const pool = createPool(spread.config, createLogger(spread.config, 'test'), { applicationName: 'told' });
    onTestFinished(() => pool.end());
    const shards = new Map(Object.keys(DISTRIBUTION_COLUMNS).map(table => [table, new Set<string>()]));
    pool.on('connect', client =>
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
    test('done again changes nothing, and refuses another number of shards', async () => {
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

    test('leaves a database without Citus as it is', async () => {
      await expect(distribute(plain.url)).rejects.toMatchObject({ code: 'citus_missing' });
      expect(await listSharded(plain.pool)).toEqual([]);
      expect(await listNodePageCosts(plain.pool)).toEqual([]);
      expect(await migrate(plain.url, { queue: true })).toEqual([]);
    });

    test('says when a node allows fewer prepared transactions than a process may need', async () => {
      await assertClusterReady(spread.pool, 10);
      await expect(assertClusterReady(spread.pool, 1_000_000)).rejects.toMatchObject({
        code: 'citus_prepared',
      });
    });
  });
}

type Answer = { status: number; text: string };

/** A user who asks the API with a key and opens pages, from an address that shows in no answer. */
async function openCaller(db: TestDatabase): Promise<(asked: Question | string) => Promise<Answer>> {
  const api = await startTestApi(db, {
    env: { CURSOR_SECRET: 'x'.repeat(40), APP_URL: 'https://app.example.org', PLAT_DIR: db.folder },
    pages: true,
  });
  const user = await newUser(db);
  const { key } = await createKey(db.pool, user.accountId, { name: 'test' });
  const browser = visitor(api);
  await browser.signIn(user);
  const made = { id: '', report_id: '' };
  const fill = (path: string) => path.replace(/\{(\w*id)\}/, (_, name: keyof typeof made) => made[name]);

  async function ask([operation, query = '', body]: Question) {
    const endpoint = endpoints.find(one => one.operationId === operation)!;
    const [place, search] = fill(query).split('?');
    const path = `${endpoint.path.replace(/\{\w+\}/, place!)}${search === undefined ? '' : `?${search}`}`;
    const sent = body === undefined ? { key } : posting(key, JSON.stringify(body));
    const reply = await api.call(path, { ...sent, method: endpoint.method.toUpperCase() });
    if ([201, 202].includes(reply.status)) Object.assign(made, reply.json);
    return reply;
  }
  return async asked => {
    const { status, text } = await (typeof asked === 'string' ? browser.open(fill(asked)) : ask(asked));
    return {
      status,
      text: text
        .replaceAll(api.url, '')
        .replaceAll(user.email, '')
        .replaceAll(/cursor=[\w.-]+|"(?:url|expires_at|image_url|next_cursor|secret)":"[^"]*"/g, '')
        // What is new in each installation: random ids and the time.
        .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, ''),
    };
  };
}
