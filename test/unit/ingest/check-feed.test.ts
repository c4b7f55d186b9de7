import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderCheck } from '../../../cli/feed-check-report.ts';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import type { FeedCheck } from '../../../workers/ingest/engine/dry-run.ts';
import { loadFeed } from '../../../workers/ingest/load-feeds.ts';
import { testFolder } from '../../support/folder.ts';
import { feedOf, sampleFeeds } from '../feeds/support.ts';

const regrid = (roll: string, top = '') =>
  feedOf(`name: r\nkind: assessor\nfips: "26163"\n${top}roll:\n  source: regrid.csv\n  format: csv\n${roll}`);

const bundled = new Map<string, FeedCheck>();
for (const file of readdirSync(sampleFeeds))
  bundled.set(file, await checkFeed(await loadFeed(join(sampleFeeds, file)), { rows: 20_000 }));

test.each([...bundled])('%s has no problems and gives no reason for a warning', (_, check) => {
  expect(check).toMatchObject({ ok: true, problems: [], warnings: [] });
});

describe('checking the Washington feed', () => {
  const check = bundled.get('washington-nh.yaml')!;

  test('everything can run', () => {
    expect(check.feed).toBe('washington-nh');
    expect(check.parts.map(({ part, rows, rejected }) => ({ part, rows, rejected }))).toEqual([
      { part: 'roll', rows: 2027, rejected: [] },
      { part: 'shape', rows: 2019, rejected: [] },
    ]);
  });

  test('shows each column: where it comes from, how full it is, what goes in and comes out', () => {
    const columns = new Map(check.parts[0]!.columns.map(column => [column.target, column]));
    expect(columns.get('acres')).toMatchObject({ unit: 'acres', from: ['ACRES'], filled: 2019 });
    expect(columns.get('situs_address')!.from).toEqual(['LOCNUMB', 'LOCNAME']);
    expect(columns.get('vacant')!.samples).toContainEqual({ in: '0', out: 'true' });
  });

  test('shows what is not mapped, on both sides', () => {
    const [roll] = check.parts;
    expect(roll!.unfilled).toContain('tax_delinquent');
    expect(roll!.unfilled).not.toContain('acres');
    expect(roll!.unmapped).toContainEqual({ column: 'BLDGGRADE', filled: 1205, sample: expect.any(String) });
    expect(roll!.unmapped.map(({ column }) => column)).not.toContain('SALEIMPR');
    expect(roll!.unmapped.map(({ column }) => column)).not.toContain('SUB');
  });

  test('shows which values would become null, how often, where first, and why', () => {
    expect(check.parts[0]!.dropped).toEqual([
      {
        field: 'mail_zip',
        reason: 'not_a_zip',
        count: 6,
        rowNo: 24,
        message: expect.stringMatching(/^'M4V1H' .*ZIP/),
      },
    ]);
  });

  test('counts the sales and the keys that both files have', () => {
    expect(check.parts[0]!.sales).toBe(121);
    expect(check.keys).toEqual({
      checked: 2027,
      matched: 2016,
      unmatched: ['1', '2', '6-4-1', '11-67-T', '14-511'],
    });
  });

  test('reads only the first rows, but looks for their keys in the whole geometry', async () => {
    const few = await checkFeed(await loadFeed(join(sampleFeeds, 'washington-nh.yaml')), { rows: 10 });
    expect(few.parts.map(part => part.rows)).toEqual([10, 10]);
    expect(few.keys).toEqual({ checked: 10, matched: 8, unmatched: ['1', '2'] });
  });

  test('reads well on a terminal', () => {
    const text = renderCheck(check);
    expect(text).toMatch(/^ {2}acres \[acres\] +ACRES +100 {2}78 \| 112 \| 56$/m);
    expect(text).toMatch(/6 x mail_zip not_a_zip, .*\brow 24: 'M4V1H' /);
    expect(text).toMatch(/keys: 2016 of .*\b2027\b.*: 1, 2, .* …/);
  });
});

test('the Bangor feed: roads and water are left out, nothing is rejected', () => {
  expect(bundled.get('bangor-me.yaml')!.parts[0]).toMatchObject({
    rows: 10_643,
    skipped: 67,
    withGeometry: 10_643,
    rejected: [],
    dropped: [],
  });
});

test('sales by parcel number: reports how many ids are on several sales', async () => {
  const file = join(testFolder(), 'sales.csv');
  writeFileSync(
    file,
    'pin,day,price\nA,2020-01-02,5\nA,2021-01-02,5\nA,2021-01-02,5\nA,2021-01-02,6\nB,2020-01-02,5\nB,2020-01-02,5\n',
  );
  const feed = feedOf(
    `name: s\nkind: listings\nlistings:\n  source: ${file}\n  format: csv\n  columns: { source_id: pin, status: { value: SOLD }, sold_price: price, sold_date: day }`,
  );
  expect((await checkFeed(feed)).warnings).toEqual([expect.stringMatching(/^listings: 1 ids? .*\b3 sales/)]);
});

describe("a feed that can't run", () => {
  test('names a column that the source lacks', async () => {
    const check = await checkFeed(regrid('  key: ll_uuid\n  columns: { owner_name: ownr }\n'));
    expect(check.ok).toBe(false);
    expect(check.problems).toEqual([
      expect.stringMatching(/^roll: columns\.owner_name: .*\bownr\b.*\bowner or owner2\?/),
    ]);
    expect(renderCheck(check)).toContain(':\n  roll: columns.owner_name: ');
  });

  test('names a missing source', async () => {
    const feed = feedOf(
      'name: r\nkind: assessor\nfips: "26163"\nroll: { source: gone.csv, format: csv, key: PIN }\n',
    );
    const check = await checkFeed(feed);
    expect(check.problems).toEqual([expect.stringMatching(/^roll: gone\.csv /)]);
  });

  test('compares the number of rejected rows with the limit', async () => {
    const check = await checkFeed(regrid('  key: structno\n'));
    expect(check.parts[0]!.rejected).toEqual([
      {
        field: 'key',
        reason: 'missing_key',
        count: 1,
        rowNo: 2,
        message: expect.stringContaining('structno'),
      },
    ]);
    expect(check.problems).toEqual([expect.stringMatching(/^roll: 1 of 2 rows .*\b50\.0%.*\b5%/)]);
    expect((await checkFeed(regrid('  key: structno\n', 'gates: { max_reject_percent: 50 }\n'))).ok).toBe(
      true,
    );
  });

  test('the county of another feed is reported', async () => {
    const feed = feedOf(
      'name: r\nkind: assessor\nfips: "33019"\npreset: regrid\nroll: { source: regrid.csv, format: csv }\n',
    );
    expect((await checkFeed(feed)).parts[0]!.rejected).toMatchObject([{ reason: 'wrong_fips', count: 2 }]);
  });
});
