import fc from 'fast-check';
import copyStreams from 'pg-copy-streams';
import { expect, test } from 'vitest';
import { readCopiedBytes, readCopyBinary } from '../../shared/platform/copy.ts';
import { createTestDatabase } from '../support/database.ts';

const { pool } = await createTestDatabase();

const NONE = -0x80000000;
const COLUMNS = {
  kind: { type: 'char', null: 255 },
  code: { type: 'int4', null: -1 },
  cents: { type: 'int8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  day: { type: 'date', null: NONE },
  zip: { type: 'digits5', null: -1 },
} as const;

const QUERY = `
  select (case when i % 5 > 0 then i % 3 end)::"char", case when i % 7 > 0 then i - 20000 end::int4,
    case when i % 11 > 0 then (i - 5)::int8 * 9007199254 end, case when i % 13 > 0 then i / 7.0 end::float8,
    case when i % 17 > 0 then date '1969-12-30' + i end,
    case when i % 19 > 0 then (array['0328', '03280', '', '3280-12', 'ä', '1234567890', '999999999'])[i % 7 + 1] end
  from generate_series(1, %n) i`;

const dayOf = (date: string) => Date.parse(date) / 86_400_000;

/** What the server sends for a COPY of `n` rows. */
async function copied(n: number): Promise<Buffer> {
  const client = await pool.connect();
  try {
    const stream = client.query(
      copyStreams.to(`copy (${QUERY.replace('%n', String(n))}) to stdout (format binary)`),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    client.release();
  }
}

async function* cut(data: Buffer, size: number) {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
}

test.each([0, 1, 40_000])('%i rows arrive as they are on the server, including nulls', async n => {
  const { rows, columns } = await readCopyBinary(cut(await copied(n), 65_536), COLUMNS);
  const { rows: expected } = await pool.query<unknown[]>({
    text: QUERY.replace('%n', String(n)),
    rowMode: 'array',
  });
  expect(rows).toBe(n);
  const actual = Array.from({ length: n }, (_, i) => [
    columns.kind[i],
    columns.code[i],
    columns.cents[i],
    columns.acres[i],
    columns.day[i],
    columns.zip[i],
  ]);
  const plain = expected.map(([kind, code, cents, acres, day, zip]) => [
    // "char" comes as text: \\0 as the empty string, 1 and 2 as that character.
    kind === null ? 255 : kind === '' ? 0 : String(kind).charCodeAt(0),
    code ?? -1,
    cents ?? Number.NaN,
    acres ?? Number.NaN,
    day === null ? NONE : dayOf(String(day)),
    /^[0-9]{5}$/.test(String(zip)) ? Number(zip) : -1,
  ]);
  expect(actual).toEqual(plain);
});

test('the position of cuts in the data makes no difference', async () => {
  const data = await copied(50);
  const whole = await readCopyBinary(cut(data, data.length), COLUMNS);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async size => {
      expect(await readCopyBinary(cut(data, size), COLUMNS)).toEqual(whole);
    }),
  );
});

test.each([
  ['data that is cut off', (data: Buffer) => data.subarray(0, data.length - 2), /trailer/],
  ['data in another format', (data: Buffer) => Buffer.from(data.toString('base64')), /signature/],
])('%s is refused', async (_, change, message) => {
  await expect(readCopyBinary(cut(change(await copied(3)), 64), COLUMNS)).rejects.toThrow(message);
});

test("columns that differ from the statement's are refused", async () => {
  const data = await copied(3);
  const { zip, ...fewer } = COLUMNS;
  await expect(readCopyBinary(cut(data, 64), fewer)).rejects.toThrow(/6 fields, not 5/);
  const wider = { ...COLUMNS, day: { ...COLUMNS.day, type: 'float8' } } as const;
  await expect(readCopyBinary(cut(data, 64), wider)).rejects.toThrow(/column day has 4 bytes/);
});

test('one value arrives as its bytes, or null without a row', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 256));
  await pool.query('create table kept (bytes bytea)');
  const copy = () =>
    pool.transaction(client => readCopiedBytes(client, 'copy kept to stdout (format binary)'));
  expect(await copy()).toBeUndefined();
  await pool.query('insert into kept values ($1)', [bytes]);
  expect((await copy())?.equals(bytes)).toBe(true);
});
