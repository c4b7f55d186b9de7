import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { Pool } from '../../shared/db.ts';
import { migrate } from '../../shared/migrate.ts';
import { assertClusterReady, distribute, KEYS, listSharded } from '../../shared/shards.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { ingestRoll, lot } from '../support/ingest.ts';

/** The same program on a Citus cluster and on one server gives the same rows and the same answers, and asks no more shards than it must. */

const V1 = '/api/public/v1/';
const SHAPE = 'POLYGON ((-72.15 43.15, -72.05 43.15, -72.05 43.22, -72.15 43.22, -72.15 43.15))';
const PARCELS = [
  3_301_900_000_001, 3_301_900_000_100, 3_301_900_001_000, 3_301_900_002_000, 3_301_999_999_999,
];

const GETS = [
  ...PARCELS.flatMap(id =>
    ['', 'ai-comp-value/', 'ai-comp-value/?explain=true', 'owner-portfolio/', 'parcel-image/'].map(
      part => `properties/${id}/${part}`,
    ),
  ),
  ...['filters/', 'regions/?q=sullivan', 'coverage/', 'coverage/33019/', 'markets-stats/33019/stats/'],
  ...[
    'search/?fips=33019&owner_name=smith',
    'search/?fips=33019&apn=14',
    'search/?fips=33019&owner_name=a',
  ].map(query => `properties/${query}`),
  ...['comps/?fips=33019', 'comps/?zip=03280&order=-ppa', 'comps/?point=-72.1&point=43.18&dist=5000'],
];
const FILTERS = [
  { county: '33019' },
  { county: '33019', order: '-acres' },
  { counties: ['33019', '33005'], order: 'acres', acres_min: 2 },
  { county: '33019', out_of_state_owner: true, zoning_codes: ['R'] },
  { county: '33019', owner_name_includes: ['SMITH'] },
  { geom_intersects: SHAPE },
  { geom_intersects: SHAPE, order: '-acres', acres_min: 5 },
  { geom_intersects: SHAPE, owner_name_includes: ['A'] },
  { geom_intersects: 'POINT (-72.1 43.18)' },
  { owner_parcel_id: 3_301_900_000_100 },
];

/** What differs between two loads of the same: ids of runs and the time. */
const PASSING = ['computed_at', 'created_run', 'changed_run', 'retired_run', 'retired_at', 'mark', 'chunk'];

async function tablesOf(pool: Pool): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const table of Object.keys(KEYS)) {
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

if (process.env.TEST_CITUS_URL === undefined) {
  test.skip('a Citus cluster (TEST_CITUS_URL) answers as one server does', () => {});
} else {
  const spread = await createTestDatabase({}, { sample: true });
  const plain = await createTestDatabase({}, { sample: true, plain: true });

  describe('the sample', () => {
    test('has the same rows', async () => {
      expect(await tablesOf(spread.pool)).toEqual(await tablesOf(plain.pool));
    });

    test('gives the same answers', async () => {
      const callers = await Promise.all([spread, plain].map(openCaller));
      for (const [path, body] of [
        ...GETS.map(get => [get] as const),
        ...FILTERS.flatMap(body =>
          ['', '?page_size=7', '?page_size=7&page=2'].map(
            query => [`properties/filter/${query}`, body] as const,
          ),
        ),
      ]) {
        const [on, off] = await Promise.all(callers.map(call => call(path, body)));
        expect(on, `${path} ${JSON.stringify(body)}`).toEqual(off);
        expect(on!.status, path).not.toBe(500);
      }
    });

    test('is asked for in the shards of its counties alone', async () => {
      const call = await openCaller(spread);
      const asking = vi.spyOn(pg.Client.prototype, 'query');
      for (const get of GETS) await call(get);
      for (const body of FILTERS) await call('properties/filter/', body);
      const asked = asking.mock.calls.map(
        ([config]) => config as unknown as { text?: string; values: unknown[] },
      );
      asking.mockRestore();
      const distributed = new RegExp(`\\b(?:from|join)\\s+(?:${Object.keys(KEYS).join('|')})\\b`);
      const looked = asked.filter(({ text }) => text !== undefined && distributed.test(text));
      expect(looked.length).toBeGreaterThan(40);
      for (const { text, values } of looked) {
        const { rows } = await spread.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        const plan = rows.map(row => row['QUERY PLAN']).join('\n');
        const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(match => Number(match[1]));
        // Two counties are asked for at most.
        expect(Math.max(0, ...tasks), `${text}\n${plan}`).toBeLessThanOrEqual(2);
      }
    });
  });

  test('parcels that change, leave and come back are merged alike', async () => {
    const rolls = [
      [1, 2, 3, 4].map(n => ({ PIN: `${n}`, OWNER: `OWNER ${n}`, at: n })),
      [1, 2, 5].map(n => ({ PIN: `${n}`, OWNER: `OWNER ${n}${n === 2 ? ' JR' : ''}`, at: n === 1 ? 9 : n })),
      [1, 3, 5].map(n => ({ PIN: `${n}`, OWNER: `OWNER ${n}`, at: n })),
    ];
    for (const db of [spread, plain]) {
      for (const roll of rolls) {
        const features = roll.map(({ at, ...properties }) => ({ properties, geometry: lot(at) }));
        const result = await ingestRoll(db.pool, db.folder, 'changing', features, {
          columns: { owner_name: 'OWNER' },
          force: true,
        });
        expect(result.status).toBe('merged');
      }
    }
    expect(await tablesOf(spread.pool)).toEqual(await tablesOf(plain.pool));
  });

  describe('plat migrate --distribute', () => {
    test('done again changes nothing, and refuses another number of shards', async () => {
      const again = await distribute(spread.url);
      expect(again.map(({ table, rows, shards }) => [table, rows, shards])).toEqual(
        Object.keys(KEYS).map(table => [table, null, 8]),
      );
      await expect(distribute(spread.url, 16)).rejects.toMatchObject({ code: 'citus_shards' });
      expect((await listSharded(spread.pool)).map(({ table }) => table)).toEqual(Object.keys(KEYS).sort());
    });

    test('leaves a database without Citus as it is', async () => {
      await expect(distribute(plain.url)).rejects.toMatchObject({ code: 'citus_missing' });
      expect(await listSharded(plain.pool)).toEqual([]);
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

type Answer = { status: number; json: unknown };

async function openCaller(db: TestDatabase): Promise<(path: string, body?: object) => Promise<Answer>> {
  const api = await startTestApi(db, {
    env: { CURSOR_SECRET: 'x'.repeat(40), APP_URL: 'https://app.example.org' },
  });
  const { key } = await newCaller(db);
  return async (path, body) => {
    const { status, text } = await api.call(
      V1 + path,
      body === undefined ? { key } : posting(key, JSON.stringify(body)),
    );
    const plainText = text
      .replaceAll(api.url, '')
      .replaceAll(/"request_id":"[^"]*"/g, '""')
      .replaceAll(/cursor=[\w.-]+/g, '')
      .replaceAll(/"(?:url|expires_at|image_url)":"[^"]*"/g, '""');
    return { status, json: plainText };
  };
}
