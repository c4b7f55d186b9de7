import { beforeAll, describe, expect, test } from 'vitest';
import { SKIP_TRACE_EXAMPLE as EXAMPLE } from '../../../api/v1/examples/examples.ts';
import { changeAccount } from '../../../shared/accounts/contracts.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { ADA, type ContactLine, contactsFeed } from '../../support/contacts.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { ingest } from '../../support/ingest.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const folder = testFolder();
const { key, accountId } = await newCaller(db, { skipTracePerMinute: 10_000 });

const PEOPLE: ContactLine[] = [
  {
    ...ADA,
    phone1: '603-555-0101',
    phone2: '603 555 0102',
    phone3: '16035550103',
    type1: 'landline',
    seen: '2024-01-01',
  },
  {
    first: 'Robert',
    middle: 'J',
    last: 'Quist',
    suffix: 'Sr',
    address: '7 Elm Ave Apt 2',
    zip: '03431',
    phone1: '6035550110',
  },
  {
    first: 'Robert',
    middle: 'J',
    last: 'Quist',
    suffix: 'Jr',
    address: '7 Elm Ave Apt 2',
    zip: '03431',
    phone1: '6035550111',
  },
  { first: 'Sam', last: 'Twin', address: '1 A St', zip: '03431', phone1: '6035550120' },
  { first: 'Sam', last: 'Twin', address: '2 B St', zip: '03431', phone1: '6035550121' },
  {
    company: 'Halcyon Meadow Holdings, L.L.C.',
    address: 'PO Box 9',
    city: 'Keene',
    state: 'NH',
    zip: '03431',
    phone1: '6035550130',
  },
];

beforeAll(async () => {
  expect(await ingest(db.pool, contactsFeed(folder, PEOPLE))).toMatchObject({ status: 'merged' });
});

type Traced = {
  matched: boolean;
  matched_on: string | null;
  first_name: string | null;
  last_name: string | null;
  phones: { number: string; line_type: string | null; dnc: boolean | null }[];
};

const trace = async (body: object, caller = key) => {
  const { status, json, headers } = await api.call(
    '/api/public/v1/skip-trace/',
    posting(caller, JSON.stringify(body)),
  );
  return {
    status,
    tokens: Number(headers.get('x-tokens-used')),
    ...(json as Traced & { error: { code: string; details: object } }),
  };
};

describe('a trace by name and address', () => {
  test('returns the person, mobile lines first', async () => {
    expect(
      await trace({ first_name: 'ADA', last_name: "No'well", address: '12 Zephyr Street', zip: '03431' }),
    ).toEqual({
      status: 200,
      tokens: 20,
      matched: true,
      matched_on: 'name_and_street',
      first_name: 'Ada',
      last_name: 'Nowell',
      withheld_reason: null,
      phones: ['6035550101', '6035550102', '6035550103'].map((number, i) => ({
        number,
        line_type: i === 0 ? 'Landline' : null,
        dnc: null,
        dnc_as_of: null,
      })),
    });
  });

  test.each([
    [{ first_name: 'Ada', last_name: 'Nowell', zip: '03431' }, 'name_and_zip'],
    [{ first_name: 'Ada', last_name: 'Nowell', city: 'keene', state: 'nh' }, 'name_and_city'],
    [
      { first_name: 'Bob', last_name: 'Quist', address: '7 Elm Avenue, Apt 2', zip: '03431' },
      'name_and_street',
    ],
    [{ first_name: 'Ada', last_name: 'Nowel', address: '12 Zephyr St', zip: '03431' }, 'name_and_street'],
  ])('%j is found by %s', async (body, matchedOn) => {
    expect(await trace(body)).toMatchObject({ tokens: 20, matched: true, matched_on: matchedOn });
  });

  test.each([
    ['a surname alone', { first_name: 'Grace', last_name: 'Nowell', zip: '03431' }],
    ['namesakes in one ZIP', { first_name: 'Sam', last_name: 'Twin', zip: '03431' }],
    ['another ZIP', { first_name: 'Ada', last_name: 'Nowell', address: '12 Zephyr St', zip: '03280' }],
    ['an initial without a street', { first_name: 'A', last_name: 'Nowell', zip: '03431' }],
  ])('%s is no match and costs nothing', async (_what, body) => {
    expect(await trace(body)).toEqual({
      status: 200,
      tokens: 0,
      matched: false,
      matched_on: null,
      withheld_reason: null,
      first_name: null,
      last_name: null,
      phones: [],
    });
  });

  test.each(['Nowell', 'Nobody'])(
    'without the tokens for a match, the call for %s is refused before the lookup',
    async last_name => {
      const { key: poor } = await newCaller(db, {
        tier: 'starter',
        tokensIncluded: 19,
        overageAllowed: false,
        skipTracePerMinute: 10,
      });
      const body = JSON.stringify({ first_name: 'Ada', last_name, zip: '03431' });
      const { status, json } = await api.call('/api/public/v1/skip-trace/', posting(poor, body));
      expect([status, json]).toMatchObject([402, { error: { code: 'usage_limit_exceeded' } }]);
    },
  );

  test('father and son are distinguished by suffix', async () => {
    const ask = { first_name: 'Robert', address: '7 Elm Ave #2', zip: '03431' };
    expect((await trace({ ...ask, last_name: 'Quist Jr.' })).phones[0]!.number).toBe('6035550111');
    expect((await trace({ ...ask, last_name: 'Quist' })).phones[0]!.number).toBe('6035550110');
  });

  test.each([
    [{ last_name: 'x', zip: '03431' }, 'first_name'],
    [{ first_name: 'x', zip: '03431' }, 'last_name'],
    [{ first_name: 'x', last_name: '...', zip: '03431' }, 'last_name'],
    [{ first_name: 'x', last_name: 'y' }, 'zip'],
    [{ first_name: 'x', last_name: 'y', city: 'Keene' }, 'state'],
    [{ first_name: 'x', last_name: 'y', state: 'NH' }, 'city'],
    [{ first_name: 'x', last_name: 'y', city: 'Keene', state: 'ZZ' }, 'state'],
    [{ first_name: 'x', last_name: 'y', zip: '03431', state: 'New Hampshire' }, 'state'],
    [{ first_name: 'x', last_name: 'y', zip: '0343' }, 'zip'],
    [{ first_name: 'x', last_name: 'y', zip: '03431', ssn: '1' }, 'ssn'],
  ])('%j is a validation error of %s', async (body, field) => {
    const { status, tokens, error } = await trace(body);
    expect({ status, tokens, code: error.code, fields: Object.keys(error.details) }).toEqual({
      status: 400,
      tokens: 0,
      code: 'validation_error',
      fields: [field],
    });
  });
});

describe("a parcel's owner", () => {
  const ask = async (id: number | string) => {
    const { status, json, headers } = await api.call(`/api/public/v1/properties/${id}/skip-trace/`, {
      key,
      method: 'POST',
    });
    return {
      status,
      tokens: Number(headers.get('x-tokens-used')),
      body: json as Traced & { error: { code: string; details: object } },
    };
  };
  const change = async (columns: Record<string, string | null>) => {
    const id = EXAMPLE.property_id as number;
    const names = Object.keys(columns);
    await db.pool.query(
      `update parcels set ${names.map((name, i) => `${name} = $${i + 2}`).join(', ')} where fips = 33019 and property_id = $1`,
      [id, ...Object.values(columns)],
    );
    return id;
  };

  test('equals the example in the docs', async () => {
    expect(await ask(EXAMPLE.property_id)).toEqual({ status: 200, tokens: 20, body: EXAMPLE.response });
  });

  test('takes no body: fields in one are reported, not ignored', async () => {
    const path = `/api/public/v1/properties/${EXAMPLE.property_id}/skip-trace/`;
    expect((await api.call(path, posting(key, '{}'))).status).toBe(200);
    const { status, json } = await api.call(path, posting(key, '{"first_name":"Ada"}'));
    expect([status, (json as { error: { details: object } }).error.details]).toEqual([
      400,
      { first_name: [expect.stringContaining('body')] },
    ]);
  });

  test('if a cell has two owners, the first on the roll counts', async () => {
    const at = { mail_address: '12 ZEPHYR ST', mail_city: 'KEENE', mail_state: 'NH', mail_zip: '03431' };
    const id = await change({ owner_name: 'NOWELL, GRACE H & ADA', owner_name_2: null, ...at });
    expect((await ask(id)).body).toMatchObject({
      matched: true,
      first_name: 'Ada',
      matched_on: 'name_and_street',
    });
  });

  test('may be a company, by its name and state', async () => {
    const id = await change({
      owner_name: 'HALCYON MEADOW HOLDINGS LLC',
      mail_address: '1 OTHER RD',
      mail_zip: '03280',
    });
    expect((await ask(id)).body).toMatchObject({
      matched: true,
      matched_on: 'entity',
      first_name: null,
      last_name: 'Halcyon Meadow Holdings, L.L.C.',
    });
  });

  test('without a name or an address is a validation error that names what is missing', async () => {
    const id = await change({ owner_name: null, mail_zip: null, mail_city: null });
    const { status, tokens, body } = await ask(id);
    expect({ status, tokens, fields: Object.keys(body.error.details) }).toEqual({
      status: 400,
      tokens: 0,
      fields: ['owner_name', 'mail_address'],
    });
  });

  test('is not found without a parcel', async () => {
    expect(await ask(3301999999999)).toMatchObject({ status: 404, tokens: 0 });
  });
});

test('a barred account is refused, and nothing is looked up for it', async () => {
  const barred = await newCaller(db);
  await changeAccount(db.pool, barred.accountId, { skipTrace: false });
  expect(await trace({ first_name: 'Ada', last_name: 'Nowell', zip: '03431' }, barred.key)).toMatchObject({
    status: 403,
    tokens: 0,
    error: { code: 'forbidden' },
  });
  const { rows } = await db.pool.query('select from traces where account_id = $1', [barred.accountId]);
  expect(rows).toHaveLength(0);
});

test('both endpoints share 20 calls a minute', async () => {
  const { key: slow } = await newCaller(db);
  const asked = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      i % 2
        ? trace({ first_name: 'Ada', last_name: 'Nowell', zip: '03431' }, slow)
        : api.call(`/api/public/v1/properties/${EXAMPLE.property_id}/skip-trace/`, {
            key: slow,
            method: 'POST',
          }),
    ),
  );
  expect(asked.filter(({ status }) => status === 429)).toHaveLength(4);
});

test('every trace leaves a row without names, and 200 concurrent calls are charged exactly', async () => {
  const many = await newCaller(db, { skipTracePerMinute: 1_000 });
  const before = await db.pool.query('select count(*)::int as n from traces');
  await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      trace({ first_name: i % 4 ? 'Ada' : 'Nobody', last_name: 'Nowell', zip: '03431' }, many.key),
    ),
  );
  expect(await usageOf(db, many.accountId)).toEqual({ tokens: 3_000, calls: 150, daily: 3_000 });
  const { rows } = await db.pool.query('select * from traces where account_id = $1', [many.accountId]);
  expect(rows).toHaveLength(200);
  expect(
    rows.filter(row => row.matched && row.source === 'contacts' && row.key_id === many.keyId),
  ).toHaveLength(150);
  expect(new Set(rows.map(row => row.question.toString('hex'))).size).toBe(2);
  // Random ids may hold any digits.
  const told = rows.map(({ account_id: _account, key_id: _key, ...rest }) => rest);
  expect(JSON.stringify(told)).not.toMatch(/nowell|ada|0343|5550/i);
  expect(before.rows[0].n).toBeGreaterThan(0);
});

test('audit rows and stored answers of providers are deleted after their time', async () => {
  await db.pool.query(
    `insert into traces (account_id, asked_at, endpoint, question, source, matched)
     select $1, now() - days * interval '1 day', 'old', '', 'none', false from unnest(array[1820, 1830]) as days`,
    [accountId],
  );
  await db.pool.query(
    `insert into provider_answers (question, provider, asked_at, tags)
     select decode(lpad(days::text, 2, '0'), 'hex'), 'old', now() - days * interval '1 day', '{}' from unnest(array[29, 31]) as days`,
  );
  await expireRecords(db.pool, db.config);
  const count = async (table: string, column: string) =>
    (await db.pool.query(`select count(*)::int as n from ${table} where ${column} = 'old'`)).rows[0].n;
  expect([await count('traces', 'endpoint'), await count('provider_answers', 'provider')]).toEqual([1, 1]);
});

test('a repeat with Idempotency-Key is one trace', async () => {
  const { key: own, accountId: id } = await newCaller(db);
  const ask = () =>
    api.call('/api/public/v1/skip-trace/', {
      ...posting(own, JSON.stringify({ first_name: 'Ada', last_name: 'Nowell', zip: '03431' })),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
    });
  const [first, second] = [await ask(), await ask()];
  expect(second.text).toBe(first.text);
  expect(await usageOf(db, id)).toMatchObject({ tokens: 20, calls: 1 });
  expect((await db.pool.query('select from traces where account_id = $1', [id])).rows).toHaveLength(1);
});

test('the test account was charged only for its matches', async () => {
  const { rows } = await db.pool.query(
    'select count(*)::int as n from traces where account_id = $1 and matched',
    [accountId],
  );
  expect((await usageOf(db, accountId)).tokens).toBe(20 * rows[0].n);
});
