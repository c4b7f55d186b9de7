import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { canonical } from '../../api/http/cursor.ts';
import type { Change } from '../../api/v1/changes/list-changes.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import { loadFeed } from '../../workers/ingest/load-feeds.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, type Feature, ingest, lot, writeFeatures } from '../support/ingest.ts';
import type { ChildOrder } from '../support/ingest-child.ts';
import { startProgram } from '../support/programs.ts';

const db = await createTestDatabase({ DB_POOL_SIZE: '20' }, { regions: true });
const { folder, pool, url } = db;
const api = await startTestApi(db);
const { key } = await newCaller(db);

const MERGES = 50;
const STEPS = ['open', 'stage', 'match', 'gate', 'merge', 'commit', 'follow'];
const COLUMNS = {
  owner_name: 'OWNER',
  acres: 'ACRES',
  assessed_total_value: 'VALUE',
  last_sale_date: 'SOLD',
  mail_address: 'MAIL',
  mail_zip: 'MZIP',
  situs_address: 'SITUS',
  situs_zip: 'SZIP',
  tax_delinquent: 'TAX',
  mortgage_interest_rate: 'RATE',
};

const address = fc.constantFrom(null, '1 Main St', '2 Elm St');
const zip = fc.constantFrom(null, '03280', '03431');
const features: fc.Arbitrary<Feature[]> = fc
  .uniqueArray(
    fc.record({
      PIN: fc.integer({ min: 0, max: 11 }).map(n => `P${n}`),
      OWNER: fc.constantFrom('ADAMS', 'É "X"\\', "O'NEILL\tJR", '{}', null),
      ACRES: fc.constantFrom(1.5, 1 / 3, 2, 2.00000001, null),
      VALUE: fc.constantFrom(0, 100, 9_007_199_254, null),
      SOLD: fc.constantFrom('2020-02-29', '1999-12-31', null),
      MAIL: address,
      MZIP: zip,
      SITUS: address,
      SZIP: zip,
      TAX: fc.constantFrom('Y', 'N', null),
      RATE: fc.constantFrom(3.125, 0.1, null),
    }),
    { selector: row => row.PIN, minLength: 1, maxLength: 12 },
  )
  .chain(rows =>
    fc
      .array(fc.option(fc.integer({ min: 0, max: 30 })), { minLength: rows.length, maxLength: rows.length })
      .map(places =>
        rows.map((properties, i) => ({ properties, geometry: places[i] == null ? null : lot(places[i]) })),
      ),
  );

type Way = 'alone' | 'at once' | 'killed' | 'killed and forgotten';
type Round = { way: Way; rolls: [Feature[], Feature[]]; step: string; limit: number };
const round: fc.Arbitrary<Round> = fc.record({
  way: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Way>('alone') },
    { weight: 4, arbitrary: fc.constantFrom<Way>('at once') },
    { weight: 3, arbitrary: fc.constantFrom<Way>('killed', 'killed and forgotten') },
  ),
  rolls: fc.tuple(features, features),
  step: fc.constantFrom(...STEPS),
  limit: fc.integer({ min: 1, max: 40 }),
});

type TestFeed = { feed: Feed; path: string; write(roll: Feature[]): void };

async function newFeed(name: string): Promise<TestFeed> {
  const path = join(folder, `${name}.yaml`);
  const roll = { source: `${name}.ndgeojson`, format: 'ndgeojson', key: 'PIN', columns: COLUMNS };
  const gates = { max_key_drop_percent: 100, max_row_drop_percent: 100, empty_columns: false };
  writeFileSync(path, stringify({ name, kind: 'assessor', fips: '33019', roll, gates }));
  const write = (rows: Feature[]) => writeFeatures(join(folder, `${name}.ndgeojson`), rows);
  write([]);
  return { feed: await loadFeed(path), path, write };
}

async function killAt(step: string, path: string, jobId: string): Promise<void> {
  const order: ChildOrder = { feed: path, jobId, dieAt: step };
  const env = { DATABASE_URL: url, LOG_LEVEL: 'error' };
  const child = startProgram('test/support/ingest-child.ts', env, {
    args: [JSON.stringify(order)],
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout!.resume();
  await once(child, 'exit');
}

/** One or two merges, whatever happens to them. @returns how many */
async function merge(
  { way, rolls: [roll, other], step }: Round,
  [a, b]: [TestFeed, TestFeed],
): Promise<number> {
  a.write(roll);
  if (way === 'alone') {
    await ingest(pool, a.feed);
    return 1;
  }
  if (way === 'at once') {
    b.write(other);
    await Promise.all([ingest(pool, a.feed), ingest(pool, b.feed)]);
    return 2;
  }
  const jobId = randomUUID();
  await killAt(step, a.path, jobId);
  // Either the job is tried again, or a later run with another roll finds what the killed one left.
  if (way === 'killed and forgotten') a.write(other);
  await ingest(pool, a.feed, { jobId: way === 'killed' ? jobId : null });
  return 1;
}

/** A copy of the parcels on the roll, kept by the endpoint alone. */
const copy = new Map<number, Record<string, unknown>>();
let cursor: string;
let seq = 0;

type Page = { results: Change[]; next_cursor: string; has_more: boolean };

async function changes(query: string): Promise<Page> {
  const { status, json } = await api.call(`/api/public/v1/changes/?fips=33019&${query}`, { key });
  expect(status).toBe(200);
  return json as Page;
}

async function follow(limit: number): Promise<void> {
  for (let more = true; more; ) {
    const page = await changes(`limit=${limit}&cursor=${cursor}`);
    for (const change of page.results) apply(change);
    cursor = page.next_cursor;
    more = page.has_more;
  }
}

function apply({ seq: own, type, property_id: id, fields }: Change): void {
  expect(own).toBeGreaterThan(seq);
  seq = own;
  if (type === 'parcel.retired') expect(copy.delete(id!)).toBe(true);
  if (type === 'parcel.new' || type === 'parcel.returned') {
    expect(copy.has(id!)).toBe(false);
    copy.set(id!, {});
  }
  if (!type.startsWith('parcel.')) return;
  for (const [name, [was, is]] of Object.entries(fields)) {
    const parcel = copy.get(id!)!;
    if (type === 'parcel.changed') expect([name, parcel[name] ?? null]).toEqual([name, was]);
    if (is === null) delete parcel[name];
    else parcel[name] = is;
  }
}

const digest = (parcels: Map<number, Record<string, unknown>>) =>
  hash('sha256', canonical([...parcels].sort(([x], [y]) => x - y)));

/** Every parcel on the roll as the API answers it, in the fields of changes. */
async function table(): Promise<Map<number, Record<string, unknown>>> {
  const rows = await all<{ property_id: number; boundary: string | null }>(
    pool,
    `select property_id, case when boundary is not null then shape_hash end as boundary
     from parcels where fips = 33019 and retired_at is null`,
  );
  const names = [
    ...Object.keys(COLUMNS),
    'calculated_acres',
    'effective_acres',
    'fips',
    'url',
    'point',
    'owner_occupied',
    'vacant',
    'row_version',
  ];
  return new Map(
    await Promise.all(
      rows.map(async ({ property_id: id, boundary }) => {
        const { json } = await api.call(`/api/public/v1/properties/${id}/`, { key });
        const detail = { ...(json as Record<string, unknown>), boundary };
        const known = [...names, 'boundary'].map(name => [name, detail[name as 'boundary']]);
        return [id, Object.fromEntries(known.filter(([, value]) => value !== null))] as const;
      }),
    ),
  );
}

test(`a copy kept only through changes/ equals the table after ${MERGES} merges, including killed and concurrent ones`, async () => {
  const feeds: [TestFeed, TestFeed] = [await newFeed('one'), await newFeed('two')];
  feeds[0].write([
    {
      properties: Object.fromEntries(
        ['PIN', ...Object.values(COLUMNS)].map(name => [name, name === 'PIN' ? 'first' : null]),
      ),
      geometry: null,
    },
  ]);
  await ingest(pool, feeds[0].feed);
  cursor = (await changes('from=now')).next_cursor;
  for (const [id, parcel] of await table()) copy.set(id, parcel);

  let merges = 0;
  const seen = new Set<Way>();
  for (const each of fc.sample(round, MERGES)) {
    if (merges >= MERGES) break;
    // The reader reads on while others write.
    const [count] = await Promise.all([merge(each, feeds), follow(each.limit)]);
    merges += count;
    seen.add(each.way);
    if (merges % 5 !== 0 && merges < MERGES) continue;
    await follow(each.limit);
    const expected = await table();
    expect(copy).toEqual(expected);
    expect(digest(copy)).toBe(digest(expected));
  }
  expect([...seen].sort()).toEqual(['alone', 'at once', 'killed', 'killed and forgotten']);
  const types = await all<{ type: string }>(
    pool,
    'select distinct type from changes where type like $1 order by 1',
    ['parcel.%'],
  );
  expect(types.map(({ type }) => type)).toEqual([
    'parcel.changed',
    'parcel.new',
    'parcel.retired',
    'parcel.returned',
  ]);
}, 900_000);
