import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { suppress } from '../../../shared/contacts/suppression.ts';
import { person } from '../../../shared/kernels/person/person.ts';
import { type ForgetRequest, forgetContact } from '../../../workers/contacts/forget-contact.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { ADA, contactsFeed } from '../../support/contacts.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { ingest } from '../../support/ingest.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const folder = testFolder();
const { key } = await newCaller(db, { skipTracePerMinute: 10_000 });

const OLD = { address: '9 Former Rd', city: null, state: null, zip: '03055' };
const PHONES = ['6035550101', '6035550102'] as const;

beforeAll(async () => {
  const line = {
    ...ADA,
    phone1: PHONES[0],
    phone2: PHONES[1],
    old_address: OLD.address,
    old_zip: OLD.zip,
  };
  expect(await ingest(db.pool, contactsFeed(folder, [line]))).toMatchObject({ status: 'merged' });
});

beforeEach(() => db.pool.query('truncate contact_suppressions, idempotent_calls'));

const HOME = { address: ADA.address, city: ADA.city, state: ADA.state, zip: ADA.zip };

async function trace(idempotencyKey?: string) {
  const body = { first_name: 'Ada', last_name: 'Nowell', ...HOME };
  const request = posting(key, JSON.stringify(body));
  const headers = { ...request.headers, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) };
  const answer = await api.call('/api/public/v1/skip-trace/', { ...request, headers });
  const json = answer.json as { matched: boolean; phones: { number: string }[] };
  return {
    status: answer.status,
    tokens: answer.headers.get('x-tokens-used'),
    matched: json.matched,
    numbers: json.phones?.map(({ number }) => number),
    text: JSON.stringify(json),
  };
}

const NOBODY = { status: 200, tokens: '0', matched: false, numbers: [] };

describe('a repeat with its Idempotency-Key', () => {
  test('returns the stored numbers, except those suppressed since', async () => {
    const call = randomUUID();
    expect(await trace(call)).toMatchObject({ tokens: '20', numbers: PHONES });
    expect(await trace(call)).toMatchObject({ tokens: '0', numbers: PHONES });
    await suppress(db.pool, [], [], [PHONES[0]], 'test');
    expect(await trace(call)).toMatchObject({ tokens: '0', matched: true, numbers: [PHONES[1]] });
    await suppress(db.pool, [], [], [PHONES[1]], 'test');
    expect(await trace(call)).toMatchObject(NOBODY);
  });

  test('returns nobody once the person is suppressed, at this address or another one of the record', async () => {
    for (const address of [HOME, OLD]) {
      await db.pool.query('truncate contact_suppressions');
      const call = randomUUID();
      expect(await trace(call)).toMatchObject({ numbers: PHONES });
      await suppress(db.pool, [{ person: person('Ada', 'Nowell')! }], [address], [], 'test');
      const repeat = await trace(call);
      expect(repeat).toMatchObject(NOBODY);
      for (const text of [...PHONES, 'Nowell']) expect(repeat.text).not.toContain(text);
    }
  });

  test('returns nobody if a concurrent call stored its answer after the suppression', async () => {
    const call = randomUUID();
    await trace(call);
    await db.pool.query('create table late as select * from idempotent_calls');
    await db.pool.query('delete from idempotent_calls');
    await suppress(db.pool, [{ person: person('Ada', 'Nowell')! }], [HOME], [], 'test');
    await db.pool.query('insert into idempotent_calls select * from late');
    expect(await trace(call)).toMatchObject(NOBODY);
  });
});

describe('a new call', () => {
  test('leaves out a suppressed number', async () => {
    await suppress(db.pool, [], [], [PHONES[0]], 'test');
    expect(await trace()).toMatchObject({ tokens: '20', numbers: [PHONES[1]] });
  });

  test('finds nobody who is suppressed under another address of the record', async () => {
    await suppress(db.pool, [{ person: person('Ada', 'Nowell')! }], [OLD], [], 'test');
    expect(await trace()).toMatchObject(NOBODY);
  });
});

test("a client's key never equals a page's key: those contain a space", async () => {
  const refused = await trace('page trace/1/0');
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
});

// Last: it erases the record.
test('forgetting a person erases the stored answers about them', async () => {
  await trace(randomUUID());
  await trace(randomUUID());
  const request: ForgetRequest = {
    subject: { person: person('Ada', 'Nowell')! },
    address: OLD,
    number: null,
  };
  expect(await forgetContact(db.pool, request, 'test')).toMatchObject({ contacts: 1, kept_responses: 2 });
  const { rows } = await db.pool.query('select from idempotent_calls');
  expect(rows).toEqual([]);
});
