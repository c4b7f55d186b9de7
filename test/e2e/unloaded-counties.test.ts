import { beforeAll, expect, test } from 'vitest';
import type { AddCountyResult } from '../../shared/feeds/county-feeds.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertRegions } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
const operator = visitor(api);

type Added = AddCountyResult['added'][number];

beforeAll(async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '23019', state: 'ME', fips: 23_019 }]);
  await operator.signIn(await newUser(db, { operator: true }));
});

const one = (kind: Added['kind'], status: Added['status'], more: Partial<Added> = {}): Added => ({
  fips: '23019',
  kind,
  feed: `23019-${kind}`,
  status,
  title: null,
  attribution: null,
  licence: null,
  address: `https://${kind}.example.gov/a.zip`,
  modified: null,
  sales: null,
  message: `${kind} answered 404. ${kind.toUpperCase()}_URL may name another address.`,
  text: null,
  ...more,
});

/** The row of the county at /admin once a job that added it has ended; undefined where there is none. */
async function rowAfter(result: Partial<AddCountyResult> | null, error: string | null = null) {
  await db.pool.query(
    `insert into jobs (name, key, payload, status, result, error)
     values ('feeds.add_county', '["23019","add"]', '{"county": 23019, "write": true, "requestedBy": "ana"}', $1, $2, $3)`,
    [
      error === null ? 'done' : 'failed',
      result && JSON.stringify({ added: [], runs: [], feedsDir: '/feeds', notWritable: null, ...result }),
      error,
    ],
  );
  const { text } = await operator.open('/admin');
  const rows = [...text.matchAll(/<tr>(?:(?!<\/tr>).)*name="county" value="23019".*?<\/tr>/gs)];
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0]?.[0];
}

test('a county stays listed with its cause and only its newest job, until everything that it lacks is loaded', async () => {
  const far = { unreachable: true };
  const offline = await rowAfter({ added: [one('assessor', 'failed', far), one('roads', 'failed', far)] });
  expect(offline).toMatch(/internet.*href="\/admin\/files"/s);
  // One publisher that is away is no server without a network.
  const away = await rowAfter({ added: [one('assessor', 'written'), one('roads', 'failed', far)] });
  expect(away).toContain('roads.example.gov');
  expect(away).not.toContain('internet');
  const gone = await rowAfter({ added: [one('roads', 'failed')] });
  expect(gone).toContain('roads answered 404.');
  expect(gone).not.toContain('ROADS_URL');
  expect(await rowAfter(null, 'The worker was lost.')).toContain('The worker was lost.');
  expect(await rowAfter({ added: [one('assessor', 'unknown')] })).toContain('href="/admin/files"');
  expect(await rowAfter({ added: [one('roads', 'failed')], notWritable: 'EROFS' })).toContain(
    '/feeds (EROFS)',
  );

  const { rows } = await db.pool.query<{ id: string }>(
    `insert into jobs (name, key, payload, status, error) values ('ingest.run', 'x', '{}', 'failed', 'It is cut off.') returning id`,
  );
  const ran = { added: [one('roads', 'written')], runs: [{ feed: '23019-roads', job: rows[0]!.id }] };
  expect(await rowAfter(ran)).toContain('It is cut off.');
  await db.pool.query(
    `update jobs set status = 'done', result = '{"status": "blocked"}' where name = 'ingest.run'`,
  );
  expect(await rowAfter(ran)).toContain('23019-roads');
  await db.pool.query(`update jobs set result = '{"status": "merged"}' where name = 'ingest.run'`);
  expect(await rowAfter(ran)).toBeUndefined();

  // A file of the operator's own has brought what the catalogue has not.
  expect(await rowAfter({ added: [one('assessor', 'unknown')] })).toBeDefined();
  await insertParcels(db.pool, [{ property_id: 23_019e8 + 1, acres: 1 }]);
  expect(await rowAfter({ added: [one('assessor', 'unknown')] })).toBeUndefined();
});

test("an overlay is loaded once a feed with its preset is, and another overlay isn't", async () => {
  expect(await rowAfter({ added: [one('soils', 'failed')] })).toContain('soils answered 404.');
  await db.pool.query(
    `with feed as (
       insert into feeds (name, kind, definition)
       values ('my-soils', 'overlay', '{"kind": "overlay", "preset": "soils", "fips": "23019"}') returning id
     )
     insert into runs (feed_id, status, requested_by) select id, 'merged', 'ana' from feed`,
  );
  expect(await rowAfter({ added: [one('soils', 'failed')] })).toBeUndefined();
  expect(await rowAfter({ added: [one('railroads', 'failed')] })).toContain('railroads answered 404.');
});

test('only the newest row of a repeated job is open', async () => {
  for (const status of ['failed', 'failed', 'queued'])
    await db.pool.query(
      `insert into jobs (name, key, payload, status) values ('ingest.run', '["roads-of-nowhere"]', '{}', $1)`,
      [status],
    );
  const { text } = await operator.open('/admin');
  expect(text.match(/roads-of-nowhere/g)).toHaveLength(1);
});
