import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { factsOf } from '../../../shared/contacts/find-phones.ts';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import { createTestDatabase } from '../../support/database.ts';
import { feedOf, ingest } from '../../support/ingest.ts';
import { runs } from '../../support/runs.ts';

const db = await createTestDatabase();
const { folder } = db;
mkdirSync(folder, { recursive: true });

/** Tests follow each other under one feed's name. */
const ANY = { max_row_drop_percent: 100 };
let files = 0;
/** A feed of one file of the registry. */
function registry(text: string | Buffer, dnc: object = {}, name = 'full') {
  const source = `list-${++files}.txt`;
  writeFileSync(join(folder, source), text);
  return feedOf(folder, {
    name: `dnc-${name}`,
    kind: 'dnc',
    dnc: { source, ...dnc },
    gates: ANY,
  });
}
const full = (text: string | Buffer, edition: string) => ingest(db.pool, registry(text, { edition }));
const changes = (text: string, edition: string, more: object = {}) =>
  ingest(db.pool, registry(text, { edition, list: 'changes', ...more }, 'changes'));

/** The numbers that are on the registry, of those that are asked for. */
const listed = async (...numbers: string[]) => {
  const facts = await factsOf(db.pool, numbers);
  return numbers.map(number => facts.get(number)!.dnc);
};

beforeEach(() => db.pool.query('truncate dnc_numbers, dnc_areas'));

describe('the Do Not Call registry', () => {
  test.each([
    ['ten digits a line', '6035550100\n6035559999\n2075550000\n'],
    ['a comma after the area code, other line ends', '603,5550100\r\n603,5559999\r\n207,5550000'],
    ['gzip', gzipSync('6035550100\n6035559999\n2075550000')],
    [
      'XML',
      `<?xml version='1.0'?>\n<list type='full' val='x'><ac val='603'><ph val='5550100'/>\n<ph val='5559999'/></ac><ac val="207"><ph val="5550000" /></ac></list>`,
    ],
    ['XML of whole numbers', '<list><ph>6035550100</ph><ph>6035559999</ph><ph>2075550000</ph></list>'],
  ])('is read as %s', async (_what, text) => {
    expect(await full(text, '2026-11-01')).toMatchObject({
      status: 'merged',
      counts: { rows: 3, rejected: {} },
    });
    expect(await listed('6035550100', '6035559999', '6035550101', '2075550000', '2075550001')).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    const facts = await factsOf(db.pool, ['6035550101', '8025550100']);
    expect(facts.get('6035550101')).toMatchObject({ dnc: false, dnc_as_of: '2026-11-01' });
    expect(facts.get('8025550100')).toMatchObject({ dnc: null, dnc_as_of: null });
  });

  test('reads the date from the name of the file', async () => {
    writeFileSync(join(folder, '2026-11-20_603_full.txt'), '6035550100\n');
    const feed = feedOf(folder, {
      name: 'dnc-full',
      kind: 'dnc',
      dnc: { source: '2026-11-20_603_full.txt' },
      gates: ANY,
    });
    await ingest(db.pool, feed);
    expect((await factsOf(db.pool, ['6035550100'])).get('6035550100')).toMatchObject({
      dnc: true,
      dnc_as_of: '2026-11-20',
    });
    await expect(ingest(db.pool, registry('6035550100'))).rejects.toThrow('dnc.edition');
  });

  test('a full list replaces only its area codes, and an older one is refused', async () => {
    await full('6035550100\n2075550000\n', '2026-11-01');
    await full('6035550200\n', '2026-11-08');
    expect(await listed('6035550100', '6035550200', '2075550000')).toEqual([false, true, true]);
    await expect(full('6035550100\n', '2026-11-07')).rejects.toMatchObject({ code: 'dnc_order' });
  });

  test('changes are applied in order, the last one for a number counts, and a gap is refused', async () => {
    await full('6035550100\n6035550101\n2075550000\n', '2026-11-01');
    await changes(
      '603,5550100,2026-11-02,D\n603,5550200,2026-11-02,A\n603,5550101,2026-11-02,D\n603,5550101,2026-11-02,A\n',
      '2026-11-02',
    );
    expect(await listed('6035550100', '6035550101', '6035550200')).toEqual([false, true, true]);
    // Area codes that nothing happened in are as of that day as well.
    expect((await factsOf(db.pool, ['2075550001'])).get('2075550001')!.dnc_as_of).toBe('2026-11-02');
    await expect(changes('603,5550300,x,A\n', '2026-11-04')).rejects.toThrow(/2026-11-02.*change lists/);
    expect(await changes('603,5550100,x,A\n', '2026-11-02')).toMatchObject({ status: 'unchanged' });
    expect(await listed('6035550100', '6035550300')).toEqual([false, false]);
    await expect(changes('802,5550300,x,A\n', '2026-11-03')).rejects.toThrow(/\b802\b.*full list/);
    const { rows } = await db.pool.query('select area_code, numbers from dnc_areas order by 1');
    expect(rows).toEqual([
      { area_code: 207, numbers: 1 },
      { area_code: 603, numbers: 2 },
    ]);
  });

  test('several days of changes in one run, with columns in another order and as XML', async () => {
    await full('6035550100\n', '2026-11-01');
    writeFileSync(join(folder, 'c-20261103.txt'), 'D;2026;6035550100\nA;2026;6035550102\n');
    writeFileSync(join(folder, 'c-20261102.txt'), 'A;2026;6035550101\nD;2026;6035550102\n');
    writeFileSync(
      join(folder, 'c-20261104.xml'),
      "<list><ac val='603'><ph val='5550103' chg='A'/><ph val='5550101' chg='D'/></ac></list>",
    );
    const dnc = {
      source: ['c-20261103.txt', 'c-20261104.xml', 'c-20261102.txt'],
      list: 'changes',
      columns: ['action', 'date', 'phone'],
    };
    const feed = feedOf(folder, { name: 'dnc-changes', kind: 'dnc', dnc, gates: ANY });
    expect(await ingest(db.pool, feed)).toMatchObject({ status: 'merged', counts: { rows: 2 } });
    expect(await listed('6035550100', '6035550101', '6035550102', '6035550103')).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('invalid numbers are rejected without being stored, and a file of them is blocked', async () => {
    const { status, counts, runId, blocked } = await full(
      '6035550100\n555-0100 extension\n<ph\n',
      '2026-11-01',
    );
    expect({ status, rejected: counts.rejected }).toEqual({
      status: 'blocked',
      rejected: { not_a_phone: 2 },
    });
    expect(blocked.map(({ gate }) => gate)).toEqual(['rejects']);
    const { rows } = await db.pool.query('select raw from run_rejects where run_id = $1', [runId]);
    expect(rows).toEqual([{ raw: '' }, { raw: '' }]);
    expect(await listed('6035550100')).toEqual([null]);
  });

  test('contains exactly what a list has, however its lines are split into chunks', async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 2_000_000_000, max: 2_000_030_000 }), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), async (list, xml) => {
        await db.pool.query('truncate dnc_numbers, dnc_areas');
        const text = xml ? list.map(n => `<ph val='${n}'/>`).join('') : list.join('\n');
        await full(text, '2026-11-01');
        const asked = [...list.slice(0, 3), ...list.map(n => n + 1).slice(0, 3)].map(String);
        expect(await listed(...asked)).toEqual(asked.map(n => list.includes(Number(n))));
        const { rows } = await db.pool.query('select sum(bit_count(bits))::int as n from dnc_numbers');
        expect(rows[0].n).toBe(list.length);
      }),
      { numRuns: runs(8) },
    );
  });

  test('a check of the feed counts without loading', async () => {
    const check = await checkFeed(registry('hello\nworld\n', { edition: '2026-11-01' }));
    expect(check.problems).toEqual([expect.stringMatching(/number.*\b2 lines/)]);
    expect((await checkFeed(registry('6035550100\n', { edition: '2026-11-01' }))).ok).toBe(true);
  });
});

describe('blocks of the numbering plan', () => {
  const blocks = (lines: string[], more: object = {}) => {
    writeFileSync(join(folder, 'blocks.csv'), ['npa,nxx,block,operator', ...lines].join('\n'));
    const columns = { area_code: 'npa', exchange: 'nxx', block: 'block', operator: 'operator' };
    const numbering = { source: 'blocks.csv', format: 'csv', columns };
    return ingest(db.pool, feedOf(folder, { name: 'blocks', kind: 'numbering', numbering, ...more }));
  };
  const kinds = async (...numbers: string[]) => {
    const facts = await factsOf(db.pool, numbers);
    return numbers.map(number => facts.get(number)!.line_type);
  };

  test('the longest known block decides, by the name of its carrier', async () => {
    const lines = [
      '603,568,,"BELL ATLANTIC MOBILE, INC"',
      '603,308,A,CONSOLIDATED COMM OF NO. NEW ENGLAND-NH',
      '603,308,4,"T-MOBILE USA, INC."',
      '603,308,5,"ONVOY, LLC - NH"',
    ];
    expect(await blocks(lines)).toMatchObject({ status: 'merged', counts: { rows: 4, new: 4 } });
    expect(await kinds('6035681234', '6033081234', '6033084321', '6033085321', '6039991234')).toEqual([
      'Mobile',
      'Landline',
      'Mobile',
      null,
      null,
    ]);
    expect(await blocks(lines)).toMatchObject({ status: 'unchanged' });
    expect(await blocks(lines.slice(0, 3))).toMatchObject({ status: 'blocked' });
    expect(await blocks(lines.slice(0, 3), { gates: { max_row_drop_percent: 50 } })).toMatchObject({
      status: 'merged',
      counts: { retired: 1 },
    });
    expect(await kinds('6033085321')).toEqual(['Landline']);
  });

  test('a row without an exchange is rejected', async () => {
    const { counts } = await blocks(
      ['603,56,,X', '103,568,,X', '603,568,12,X', '603,568,1,VERIZON NEW ENGLAND INC.'],
      { gates: { max_reject_percent: 100, max_row_drop_percent: 100 } },
    );
    expect(counts.rejected).toEqual({ bad_exchange: 1, bad_area_code: 1, bad_block: 1 });
    expect(await kinds('6035681234')).toEqual(['Landline']);
  });
});
