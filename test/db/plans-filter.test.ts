import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { ApiDb } from '../../api/http/database.ts';
import type { CallContext } from '../../api/http/endpoint.ts';
import type { Resources } from '../../api/v1/common/endpoint-resources.ts';
import { filterParcels } from '../../api/v1/parcels/filter/filter-parcels.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { countCoverage } from '../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertParcels } from '../support/parcels.ts';
import type { TestDb } from '../support/test-db.ts';

/** The plans of the filter's statements: each test fails when the index that it names is lost. */

const db = await createTestDatabase();

beforeAll(async () => {
  // A parcel a state makes the partitions.
  await insertParcels(db.pool, [{ property_id: 33_019e8 + 90_000_000 }, { property_id: 23_019e8 + 1 }]);
  await db.pool.query(`
    insert into parcels (fips, property_id, feed_id, source_key, apn_normalized, location, extent, boundary, acres,
      owner_name, situs_zip, created_run, changed_run)
    select 33019, 3301900000000 + i, 1, i::text, 'A' || i, point(x, y), box(point(x - 40, y - 40), point(x + 40, y + 40)),
      null, i % 1000, 'OWNER ' || i, lpad((i / 500)::text, 5, '0'), 1, 1
    from (select i, (i % 200) * 100 as x, (i / 200) * 100 as y from generate_series(1, 40000) i) g`);
  await db.pool.query(`
    insert into parcel_filters (fips, property_id, location, extent, effective_acres, situs_zip, owner_key, vacant, row_version)
    select fips, property_id, location, extent, effective_acres, situs_zip::int, md5((property_id % 5000)::text)::uuid,
      property_id % 2 = 0, case when property_id % 400 = 0 then 2 else 1 end
    from parcels where fips = 33019 and property_id < 3301990000000`);
  await db.pool.query(
    'insert into owner_parcels select owner_key, property_id from parcel_filters where owner_key is not null',
  );
  await db.pool.query('insert into row_versions (version, at) select v, now() from generate_series(1, 2) v');
  await countCoverage(db.pool, [33_019]);
  for (const table of ['parcels', 'parcel_filters', 'owner_parcels'])
    await db.pool.query(`vacuum analyze ${table}`);
});

type Statement = { text: string; values: unknown[] };
type Reply = { next: string | null; results: unknown[] };

/** What the endpoint asks of the database for a body, and what it answers. */
async function run(body: object, query = ''): Promise<{ statements: Statement[]; reply: Reply }> {
  const statements: Statement[] = [];
  const recording = Object.assign(new pg.Pool(), {
    query(statement: Statement) {
      statements.push(statement);
      return db.pool.query(statement);
    },
  });
  const resources = {
    db: new ApiDb(recording, recording),
    cursorSecret: async () => Buffer.alloc(32),
  } as unknown as Resources;
  const url = new URL(`http://localhost/${query}`);
  const call = {
    url,
    apiUrl: url.origin,
    appUrl: url.origin,
    now: new Date(),
    work: COMPUTE_HERE,
  } as CallContext;
  const input = {
    params: {},
    query: filterParcels.query.parse(Object.fromEntries(url.searchParams)),
    body: filterParcels.body!.parse(body),
  };
  const answer = await filterParcels.handle(input, resources, call);
  return { statements, reply: answer.body as Reply };
}

/** The plan of the first statement that holds a text. */
async function planOf(statements: Statement[], part: string, on: TestDb = db.pool): Promise<string> {
  const statement = statements.find(({ text }) => text.includes(part))!;
  const { rows } = await on.query<{ 'QUERY PLAN': string }>(`explain ${statement.text}`, statement.values);
  return rows.map(row => row['QUERY PLAN']).join('\n');
}

/** The same on a server to which parallel workers cost nothing. */
function eagerPlanOf(statements: Statement[], part: string): Promise<string> {
  return db.pool.transaction(async client => {
    await client.query(`set local parallel_setup_cost = 0; set local parallel_tuple_cost = 0;
      set local min_parallel_table_scan_size = 0; set local min_parallel_index_scan_size = 0`);
    return planOf(statements, part, client);
  });
}

const COUNT = 'from found';
const CANDIDATES = 'with edges';
const SUMMARIES = 'p.property_id = any (';

describe('the count', () => {
  test('of a county reads only that state, and only its parcel_filters rows', async () => {
    const { statements } = await run({ county: '33019', vacant_only: true });
    const plan = await planOf(statements, COUNT);
    expect(plan).toMatch(/parcel_filters_33/);
    expect(plan).not.toMatch(/parcel_filters_23|on parcels/);
  });

  test('of a small part of a county by its acreage uses the index', async () => {
    const { statements } = await run({ county: '33019', acres_min: 7, acres_max: 8 });
    expect(await planOf(statements, COUNT)).toMatch(/parcel_filters_33_fips_effective_acres_property_id_idx/);
  });

  test('of changes since a row_version uses the index', async () => {
    const { statements } = await run({ county: '33019', changed_since: 1 });
    expect(await planOf(statements, COUNT)).toMatch(/parcel_filters_33_fips_row_version_idx/);
  });

  test('of a county by estimated value reads only the estimates of that state', async () => {
    const { statements } = await run({ county: '33019', value_min: 5_000 });
    const plan = await planOf(statements, COUNT);
    expect(plan).toMatch(/valuations_33/);
    expect(plan).not.toMatch(/_23/);
  });

  test('of a ZIP code uses the index of ZIP codes', async () => {
    const { statements } = await run({ zips_include: ['00007'] });
    expect(await planOf(statements, COUNT)).toMatch(/parcel_filters_33_situs_zip_idx/);
  });

  test('of a portfolio reads its parcels by their keys', async () => {
    const { statements } = await run({ owner_parcel_id: 33_019e8 + 5 });
    const plan = await planOf(statements, COUNT);
    expect(plan).toMatch(/owner_parcels_pkey/);
    expect(plan).toMatch(/parcel_filters_33_pkey/);
    expect(plan).not.toMatch(/Seq Scan on parcel_filters_33/);
  });

  test('of a parcel number uses the index of parcel numbers', async () => {
    const { statements } = await run({ county: '33019', apn: 'a-77' });
    const plan = await planOf(statements, COUNT);
    expect(plan).toMatch(/parcels_33_fips_apn_normalized_idx/);
    expect(plan).toMatch(/parcel_filters_33_pkey/);
  });

  test('of a text filter in a list of counties reads only their state', async () => {
    const { statements } = await run({ counties: ['33019', '33005'], owner_name: 'OWNER 7' });
    expect(await planOf(statements, COUNT)).not.toMatch(/_23/);
  });

  test('is not requested again on the next page', async () => {
    const { reply } = await run({ county: '33019' });
    const { statements } = await run({ county: '33019' }, new URL(reply.next!).search);
    expect(statements.some(({ text }) => text.includes(COUNT))).toBe(false);
  });
});

describe('another page', () => {
  test.each([
    ['property_id', 'parcel_filters_33_pkey'],
    ['acres', 'parcel_filters_33_fips_effective_acres_property_id_idx'],
    ['-acres', 'parcel_filters_33_fips_effective_acres_property_id_idx'],
  ])('in the order %s begins at its place in the index, without sorting', async (order, index) => {
    const body = { county: '33019', vacant_only: true, order };
    const { reply } = await run(body);
    const second = await run(body, new URL(reply.next!).search);
    const back = await run(body, new URL((second.reply as unknown as { previous: string }).previous).search);
    for (const { statements } of [second, back]) {
      const plan = await planOf(statements, 'offset');
      expect(plan).toContain(index);
      expect(plan).toMatch(/Index Cond: .*(property_id [<>]|ROW\(effective_acres, property_id\) [<>])/);
      expect(plan).not.toMatch(/Sort/);
    }
  });

  test('of several counties also starts at its position', async () => {
    const body = { counties: ['33019', '33005'] };
    const { reply } = await run(body);
    const { statements } = await run(body, new URL(reply.next!).search);
    const plan = await planOf(statements, 'offset');
    expect(plan).toMatch(/Index Cond: .*property_id >/);
    expect(plan).not.toMatch(/Sort/);
  });
});

describe('a shape', () => {
  const body = {
    geom_intersects: 'POLYGON ((0.0001 0.0001, 0.001 0.0001, 0.0012 0.0014, 0.0001 0.001, 0.0001 0.0001))',
  };

  test('finds what lies inside with the index of extents', async () => {
    const { statements } = await run(body);
    const plan = await planOf(statements, COUNT);
    expect(plan).toMatch(/parcel_filters_33_extent_idx/);
    expect(plan).not.toMatch(/Seq Scan on parcel_filters_33/);
  });

  test('starts no parallel workers, which a count of a county may do', async () => {
    const inShape = await run(body);
    expect(await eagerPlanOf(inShape.statements, COUNT)).not.toMatch(/Gather/);
    const ofCounty = await run({ county: '33019', vacant_only: true });
    expect(await eagerPlanOf(ofCounty.statements, COUNT)).toMatch(/Gather/);
  });

  test('finds what its outline crosses with the index of extents, and each boundary by its key', async () => {
    // Few of the table's rows: for a fifth of them PostgreSQL 15 would read all.
    const { statements } = await run({
      geom_intersects:
        'POLYGON ((0.0001 0.0001, 0.0002 0.0001, 0.0003 0.0003, 0.0001 0.0002, 0.0001 0.0001))',
    });
    const plan =
      (await planOf(statements, CANDIDATES)) + (await planOf(statements, 'p.boundary is not null'));
    expect(plan).toMatch(/parcel_filters_33_extent_idx/);
    expect(plan).toMatch(/parcels_33_pkey/);
    expect(plan).not.toMatch(/Seq Scan on parcel\w*_33/);
  });
});

test('summaries are read by their keys', async () => {
  const { statements } = await run({ county: '33019' });
  const plan = await planOf(statements, SUMMARIES);
  expect(plan).toMatch(/parcels_33_pkey/);
  expect(plan).not.toMatch(/Seq Scan on parcels_33/);
});
