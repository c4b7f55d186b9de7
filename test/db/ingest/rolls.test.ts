import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, lot, writeFeatures, writeObjects } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();
const gates = { max_key_drop_percent: 100, max_row_drop_percent: 100, max_reject_percent: 100 };

const parcelsOf = (name: string) =>
  all(
    pool,
    `select source_key as key, owner_name as owner, acres, last_sale_date as sold, location is not null as placed
     from parcels join feeds on feeds.id = feed_id where name = $1 and retired_at is null order by source_key`,
    [name],
  );
const compsOf = async (source: string) =>
  (
    await all<{ text: string }>(
      pool,
      "select concat(source_id, ' ', status, ' ', price::int) as text from listings where source = $1 order by source_id",
      [source],
    )
  ).map(({ text }) => text.replace('33019/', ''));

describe('several rolls of one county', () => {
  const name = 'rolls';
  const feed = feedOf(folder, {
    name,
    kind: 'assessor',
    fips: '33019',
    gates,
    roll: [
      {
        source: 'first.ndgeojson',
        format: 'ndgeojson',
        key: 'PIN',
        columns: { owner_name: 'OWNER', acres: 'ACRES' },
      },
      {
        source: 'second.csv',
        format: 'csv',
        skip_lines: 1,
        key: 'PARCEL',
        columns: {
          owner_name: 'NAME',
          acres: { column: 'SQFT', unit: 'sqft' },
          last_sale_date: 'SOLD',
          last_sale_price: 'PRICE',
        },
      },
      { source: 'third.ndjson', format: 'ndjson', key: 'ID', columns: { owner_name: 'O' } },
    ],
    sales: { label: name, where: [{ column: 'QUAL', equals: 'Q' }] },
  });
  const second = (rows: string[]) =>
    writeFileSync(
      join(folder, 'second.csv'),
      `Sales of the year\nPARCEL,NAME,SQFT,SOLD,PRICE,QUAL\n${rows.map(row => `${row}\n`).join('')}`,
    );
  const rows = [
    'a,NOT USED,43560,2024-05-01,9000,Q',
    'B,BEE,87120,2023-04-02,8000,U',
    'D,DEE,21780,,,',
    'D,DEE,21780,,,',
    'D,DIFFERENT,21780,,,',
  ];

  test('are joined on the key: the first value counts, and each may add parcels', async () => {
    writeFeatures(join(folder, 'first.ndgeojson'), [
      { properties: { PIN: 'A', OWNER: 'AY', ACRES: null }, geometry: lot(0) },
      { properties: { PIN: 'B', OWNER: null, ACRES: 3 }, geometry: lot(1) },
      { properties: { PIN: 'C', OWNER: null, ACRES: 4 }, geometry: lot(2) },
    ]);
    second(rows);
    writeObjects(join(folder, 'third.ndjson'), [
      { ID: 'C', O: 'SEE' },
      { ID: 'D', O: 'NOT USED' },
      { ID: 'E', O: 'EEE' },
    ]);
    const result = await ingest(pool, feed);
    expect(await parcelsOf(name)).toEqual([
      { key: 'A', owner: 'AY', acres: 1, sold: '2024-05-01', placed: true },
      { key: 'B', owner: 'BEE', acres: 3, sold: '2023-04-02', placed: true },
      { key: 'C', owner: 'SEE', acres: 4, sold: null, placed: true },
      { key: 'D', owner: 'DEE', acres: 0.5, sold: null, placed: false },
      { key: 'E', owner: 'EEE', acres: null, sold: null, placed: false },
    ]);
    expect(await compsOf(name)).toEqual(['A/2024-05-01 SOLD 9000']);
    expect(result.counts).toMatchObject({
      read: { roll: 3, 'roll 2': 5, 'roll 3': 3 },
      new: 5,
      identical: 1,
      rejected: { duplicate_key: 1 },
      filled: { owner_name: 5, acres: 4, last_sale_date: 2 },
    });
    expect(
      await all(pool, 'select input, row_no, reason from run_rejects where run_id = $1', [result.runId]),
    ).toEqual([{ input: 'roll 2', row_no: 5, reason: 'duplicate_key' }]);
  });

  test('the same again changes nothing; a new value in another roll changes only its parcel', async () => {
    expect(await ingest(pool, feed)).toMatchObject({ status: 'unchanged' });
    second(rows.map(row => row.replace('BEE', 'BEA')));
    expect((await ingest(pool, feed)).counts).toMatchObject({ changed: 1, unchanged: 4, retired: 0 });
  });

  test('the check reads each one', async () => {
    const check = await checkFeed(feed);
    expect(check.parts.map(({ part, rows }) => [part, rows])).toEqual([
      ['roll', 3],
      ['roll 2', 5],
      ['roll 3', 3],
    ]);
    expect(check.parts.map(({ sales }) => sales)).toEqual([0, 1, 0]);
  });
});

test('earlier sales in more columns of a row are separate comps', async () => {
  const feed = feedOf(folder, {
    name: 'prior',
    kind: 'assessor',
    fips: '33019',
    gates,
    roll: {
      source: 'prior.ndjson',
      format: 'ndjson',
      key: 'PIN',
      columns: { last_sale_date: 'SOLD', last_sale_price: 'PRICE', seller_name: 'SELLER' },
    },
    sales: {
      label: 'prior',
      min_price: 1_000,
      prior: [
        { date: { column: 'SOLD2', date: 'MM/DD/YYYY' }, price: 'PRICE2', book: 'BOOK2' },
        { date: 'SOLD3', price: 'PRICE3', where: [{ column: 'QUAL3', equals: 'Q' }] },
      ],
    },
  });
  const none = { SOLD2: null, PRICE2: null, BOOK2: null, SOLD3: null, PRICE3: null, QUAL3: null };
  const run = (rows: { PIN: string; [column: string]: unknown }[]) => {
    const last = (PIN: string) => ({ SOLD: '2024-05-01', PRICE: 9_000, SELLER: PIN });
    writeObjects(
      join(folder, 'prior.ndjson'),
      rows.map(row => ({ ...none, ...last(row.PIN), ...row })),
    );
    return ingest(pool, feed);
  };
  const ofA = async () => (await compsOf('prior')).filter(text => text.startsWith('A'));
  const third = { SOLD3: '2011-01-02', PRICE3: 4_000 };
  const { counts } = await run([
    { PIN: 'A', SOLD2: '03/09/2019', PRICE2: 5_000, ...third, QUAL3: 'Q' },
    // Too cheap, and not qualified; of the last sale's day; one deed over two parcels.
    { PIN: 'B', SOLD2: '03/09/2012', PRICE2: 999, ...third, QUAL3: 'U' },
    { PIN: 'C', SOLD2: '05/01/2024', PRICE2: 1_000_000 },
    { PIN: 'D', SOLD2: '04/05/2016', PRICE2: 7_000, BOOK2: '12/34' },
    { PIN: 'E', SOLD2: '04/05/2016', PRICE2: 7_000, BOOK2: '12/34' },
  ]);
  expect(counts.sales).toEqual({ comps: 7, multi_parcel: 2, disqualified: 0 });
  const sold = ['A/2011-01-02 SOLD 4000', 'A/2019-03-09 SOLD 5000', 'A/2024-05-01 SOLD 9000'];
  expect(await ofA()).toEqual(sold);
  // The last sale before is an earlier one now, and stays the comp that it was.
  await run([{ PIN: 'A', SOLD: '2025-02-03', PRICE: 12_000, SOLD2: '05/01/2024', PRICE2: 9_000 }]);
  expect(await ofA()).toEqual([...sold, 'A/2025-02-03 SOLD 12000']);
});

test.each([3_000, 12_000])('a feature nested %i levels deep is one rejected row', async levels => {
  const name = `deep-${levels}`;
  writeFeatures(join(folder, `${name}.ndgeojson`), [{ properties: { PIN: 'A' }, geometry: lot(0) }]);
  const text = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  writeFileSync(
    join(folder, `${name}.ndgeojson`),
    `{"type":"Feature","properties":{"PIN":"B"},"geometry":{"type":"Polygon","coordinates":${text}}}\n`,
    { flag: 'a' },
  );
  const feed = feedOf(folder, {
    name,
    kind: 'assessor',
    fips: '33019',
    gates,
    roll: { source: `${name}.ndgeojson`, format: 'ndgeojson', key: 'PIN' },
  });
  const { status, counts, runId } = await ingest(pool, feed);
  expect([status, counts.read, counts.rejected]).toEqual(['merged', { roll: 2 }, { unreadable_row: 1 }]);
  expect(await all(pool, 'select row_no, message from run_rejects where run_id = $1', [runId])).toEqual([
    { row_no: 2, message: expect.stringMatching(/\b500\b/) },
  ]);
});

test('texts of a megabyte are cut, counted, and kept among the rejected rows, and break no index', async () => {
  const long = '🌲 '.repeat(300_000);
  writeObjects(join(folder, 'long.ndjson'), [
    {
      PIN: 'a',
      OWNER: `X${long}`,
      STREET: `1 ${long}`,
      MAIL: `2 ${long}`,
      CITY: long,
      SOLD: '2024-05-01',
      PRICE: 9_000,
    },
  ]);
  const feed = feedOf(folder, {
    name: 'long',
    kind: 'assessor',
    fips: '33017',
    gates,
    roll: {
      source: 'long.ndjson',
      format: 'ndjson',
      key: 'PIN',
      columns: {
        owner_name: 'OWNER',
        situs_address: 'STREET',
        mail_address: 'MAIL',
        mail_city: 'CITY',
        last_sale_date: 'SOLD',
        last_sale_price: 'PRICE',
      },
    },
    sales: { label: 'long', where: [] },
  });
  const { counts, status } = await ingest(pool, feed);
  expect(status).toBe('merged');
  expect(counts.dropped).toEqual({ owner_name: 1, situs_address: 1, mail_address: 1, mail_city: 1 });
  const lengths = `select length(owner_name) as owner, length(situs_address) as street, length(mail_city) as city
    from parcels where fips = 33017`;
  // PostgreSQL counts a pair as one.
  expect(await all(pool, lengths)).toEqual([{ owner: 2_730, street: 333, city: 2_729 }]);
  expect(await all(pool, "select length(address) as street from listings where source = 'long'")).toEqual([
    { street: 333 },
  ]);
});
