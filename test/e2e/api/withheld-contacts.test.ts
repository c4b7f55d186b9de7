import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { suppress } from '../../../shared/contacts/suppression.ts';
import { person } from '../../../shared/kernels/person/person.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { ADA, type ContactLine, contactsFeed, withheldFeed } from '../../support/contacts.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { ingest } from '../../support/ingest.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const folder = testFolder();
const { key } = await newCaller(db, { skipTracePerMinute: 10_000 });
const [FIRST, SECOND] = ['6035550101', '6035550102'];

beforeAll(async () => {
  await ingest(db.pool, contactsFeed(folder, [{ ...ADA, phone1: FIRST, phone2: SECOND }]));
});
beforeEach(() => db.pool.query('truncate withheld_contacts, contact_suppressions, idempotent_calls'));

const withhold = (lines: ContactLine[], settings = {}) =>
  ingest(db.pool, withheldFeed(folder, lines, settings), { force: true });

async function trace(first: string, idempotencyKey?: string) {
  const body = { first_name: first, last_name: ADA.last, address: ADA.address, zip: ADA.zip };
  const request = posting(key, JSON.stringify(body));
  const headers = { ...request.headers, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) };
  const { json, headers: answered } = await api.call('/api/public/v1/skip-trace/', { ...request, headers });
  const {
    matched,
    withheld_reason: reason,
    phones,
  } = json as Record<string, unknown> & { phones: unknown[] };
  return [matched, reason, phones.length, answered.get('x-tokens-used')];
}

describe('a feed of people whom nobody should call', () => {
  test('withholds them by name and place, with its reason and for free, until it no longer lists them', async () => {
    expect(await trace('Ada')).toEqual([true, null, 2, '20']);
    const listed = { first: 'Ada', last: 'Nowell', zip: ADA.zip };
    expect(await withhold([listed])).toMatchObject({ status: 'merged' });
    expect(await trace('Ada')).toEqual([false, 'Known litigator', 0, '0']);
    expect(await trace('Grace')).toEqual([false, null, 0, '0']);
    expect(await withhold([listed])).toMatchObject({ status: 'unchanged' });
    expect(await withhold([listed], { reason: 'Sued a caller' })).toMatchObject({ status: 'merged' });
    expect(await trace('Ada')).toEqual([false, 'Sued a caller', 0, '0']);
    // Contacts that are loaded later stay stored, so they come back.
    await ingest(db.pool, contactsFeed(folder, [{ ...ADA, phone1: FIRST, phone2: SECOND }]), { force: true });
    await withhold([{ ...listed, first: 'Karl' }]);
    expect(await trace('Ada')).toEqual([true, null, 2, '20']);
  });

  test('withholds every number of a person if it lists one of them, without a name', async () => {
    expect(await withhold([{ phone1: SECOND }])).toMatchObject({ status: 'merged' });
    expect(await trace('Ada')).toEqual([false, 'Known litigator', 0, '0']);
  });

  test('applies to repeats of stored responses', async () => {
    const call = randomUUID();
    expect(await trace('Ada', call)).toEqual([true, null, 2, '20']);
    await withhold([{ first: 'Ada', last: 'Nowell', zip: ADA.zip }]);
    expect(await trace('Ada', call)).toEqual([false, 'Known litigator', 0, '0']);
    await withhold([{ phone1: FIRST }]);
    expect(await trace('Ada', call)).toEqual([false, 'Known litigator', 0, '0']);
  });

  test('shows no reason for people on the suppression list', async () => {
    await withhold([{ first: 'Ada', last: 'Nowell', zip: ADA.zip }, { phone1: FIRST }]);
    const address = { address: ADA.address, city: null, state: null, zip: ADA.zip };
    await suppress(db.pool, [{ person: person('Ada', 'Nowell')! }], [address], [], 'test');
    expect(await trace('Ada')).toEqual([false, null, 0, '0']);
  });

  test('stores hashes only, and rejects rows with neither a place nor a number', async () => {
    const run = await withhold([
      { first: 'Ada', last: 'Nowell', zip: ADA.zip, phone1: FIRST },
      ...['03431', '03432', '03433', '03434'].map(zip => ({ first: 'Karl', last: 'Zweig', zip })),
      { first: 'Xenia', last: 'Quux' },
    ]);
    expect(run).toMatchObject({ status: 'merged', counts: { rejected: { missing_place: 1 } } });
    const { rows } = await db.pool.query('select hash::text, reason from withheld_contacts');
    expect(JSON.stringify(rows)).not.toMatch(/ada|nowell|zweig|6035550101/i);
  });
});

test('a feed of suppressions needs a reason, and numbers or names with a place', () => {
  expect(() => withheldFeed(folder, [], { reason: '""' })).toThrow(/reason/);
});
