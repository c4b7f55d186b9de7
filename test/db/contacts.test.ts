import { describe, expect, test } from 'vitest';
import { findContacts } from '../../shared/contacts/find-phones.ts';
import { suppress } from '../../shared/contacts/suppression.ts';
import { person } from '../../shared/kernels/person/person.ts';
import {
  type ForgetRequest,
  findMatchingContacts,
  forgetContact,
  suppressContact,
} from '../../workers/contacts/forget-contact.ts';
import { ADA, type ContactLine, contactsFeed } from '../support/contacts.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { ingest, ingestRoll, lot } from '../support/ingest.ts';

const db = await createTestDatabase();
const folder = testFolder();

const LINES: ContactLine[] = [
  { ...ADA, phone1: '6035550101', phone2: '6035550102', email: 'ada@example.org' },
  { first: 'Grace', last: 'Nowell', address: '12 Zephyr St', zip: '03431', phone1: '6035550102' },
  { first: 'Ada', last: 'Nowell', address: '9 Far Rd', zip: '03431', phone1: '6035550104' },
];
const people = (lines: ContactLine[], name = 'people') =>
  ingest(db.pool, contactsFeed(folder, lines, name), { force: true });

const ask = (first: string, last: string, address: string | null = '12 Zephyr St', zip = '03431') => ({
  subject: { person: person(first, last)! },
  address: { address, city: null, state: null, zip },
  number: null,
});
const stateOf = async ({ subject, address }: ReturnType<typeof ask>) =>
  (await findContacts(db.pool, [subject], address)).state;
const ids = async () =>
  (await db.pool.query('select first_name from contacts order by 1')).rows.map(row => row.first_name);

describe('a contact feed', () => {
  test('is merged by its changes, and erases people that it no longer shows', async () => {
    expect(await people(LINES)).toMatchObject({
      status: 'merged',
      counts: { read: { contacts: 3 }, new: 3 },
    });
    expect(await people(LINES)).toMatchObject({ status: 'unchanged' });
    const moved = [
      { ...LINES[0], address: '1 New St', old_address: '12 Zephyr St', old_zip: '03431' },
      LINES[1]!,
    ];
    expect(await people(moved)).toMatchObject({
      status: 'merged',
      counts: { changed: 1, retired: 1, unchanged: 1 },
    });
    expect(await stateOf(ask('Ada', 'Nowell'))).toBe('found');
    expect(await ids()).toEqual(['Ada', 'Grace']);
    await people(LINES);
  });

  test('stores rejected rows without names and numbers, and blocks a run with too many', async () => {
    const feed = contactsFeed(folder, [
      { first: 'Xenia', last: '', zip: '03431', phone1: '6035550150' },
      { first: 'Xenia', last: 'Quux', zip: '', phone1: '6035550150' },
      { first: 'Xenia', last: 'Quux', zip: '03431', phone1: '555-0150', phone2: '6035550150' },
      { first: 'Xenia', last: 'Nophone', zip: '03431' },
    ]);
    const { status, counts, runId } = await ingest(db.pool, feed);
    expect({
      status,
      rejected: counts.rejected,
      dropped: counts.dropped,
      without: counts.without_phone,
    }).toEqual({
      status: 'blocked',
      rejected: { missing_name: 1, missing_place: 1 },
      dropped: { phone_1: 1 },
      without: 1,
    });
    const { rows } = await db.pool.query(
      'select reason, message, raw from run_rejects where run_id = $1 order by row_no',
      [runId],
    );
    expect(JSON.stringify(rows)).not.toMatch(/Xenia|Quux|5550150|555-0150/);
    expect(rows[2]).toMatchObject({
      reason: 'not_a_phone',
      message: expect.stringMatching(/^'000-0000' /),
    });
    expect(JSON.parse(rows[0].raw)).toMatchObject({ first: 'xxxxx', phone1: '0000000000' });
  });

  test('uses the most recently seen row of a contact', async () => {
    const twice = [
      { ...LINES[0], id: 'a', seen: '2026-01-01' },
      { ...LINES[0], id: 'a', seen: '2024-01-01', phone1: '6035550199' },
      { ...LINES[0], id: 'a', seen: '2026-01-01' },
    ];
    expect(await people(twice, 'twice')).toMatchObject({
      counts: { rows: 1, identical: 1, rejected: { superseded: 1 } },
    });
    const { rows } = await db.pool.query("select phones from contacts where source_id = 'a'");
    expect(rows[0].phones[0].number).toBe('6035550101');
    await people([], 'twice').catch(() => {});
    await db.pool.query("delete from contacts where source_id = 'a'");
  });
});

describe('a person who asks not to be contacted', () => {
  test('is not found by any search, under any name, or in later loads', async () => {
    await people(LINES);
    const request: ForgetRequest = ask('Bob', 'Zweig', '1 A St');
    await suppress(db.pool, [request.subject], [request.address], [], 'test');
    await people([
      ...LINES,
      { first: 'Robert', last: 'Zweig', address: '1 A St', zip: '03431', phone1: '6035550177' },
    ]);
    const { rows } = await db.pool.query('select counts from runs order by id desc limit 1');
    expect(rows[0].counts).toMatchObject({ suppressed: 1, rows: 3 });
    expect(await stateOf(ask('Rob', 'Zweig', '1 A St'))).toBe('suppressed');
    expect(await stateOf(ask('Robert', 'Zweig', null))).toBe('suppressed');
    expect(await stateOf(ask('Karl', 'Zweig', '1 A St'))).toBe('unknown');
  });

  test('is hidden at once if contacts already have them', async () => {
    const request = ask('Grace', 'Nowell');
    expect(await stateOf(request)).toBe('found');
    expect(
      await suppressContact(db.pool, request, await findMatchingContacts(db.pool, request), 'test'),
    ).toBeGreaterThan(0);
    expect(await stateOf(request)).toBe('suppressed');
    expect(
      await suppressContact(db.pool, request, await findMatchingContacts(db.pool, request), 'test'),
    ).toBe(0);
    const { rows } = await db.pool.query('select * from contact_suppressions');
    expect(JSON.stringify(rows)).not.toMatch(/grace|nowell/i);
  });
});

describe('a person who asks to be forgotten', () => {
  test('is erased everywhere, which is reported, and stays away', async () => {
    await db.pool.query('truncate contact_suppressions');
    await people(LINES);
    await expect(forgetContact(db.pool, ask('Ada', 'Nowell', null), 'test')).rejects.toMatchObject({
      code: 'contact_ambiguous',
    });
    expect(await ids()).toEqual(['Ada', 'Ada', 'Grace']);
    expect(await forgetContact(db.pool, ask('Ada', 'Nowell'), 'test')).toMatchObject({
      contacts: 1,
      numbers: 2,
      provider_answers: 0,
      kept_responses: 0,
    });
    expect(await ids()).toEqual(['Ada', 'Grace']);
    await people(LINES);
    // Her namesake in the ZIP is left out as well, and the number that she shared.
    expect(await ids()).toEqual([]);
  });

  test('is no longer named as a former owner, or by later merges', async () => {
    const owners = { P1: 'NOWELL ADA', P2: 'NOWELL ADA', P3: 'NOWELL KARL', P4: 'ZWEIG BOB' };
    const merge = (next: Record<string, string>, mail = '12 Zephyr St') =>
      ingestRoll(
        db.pool,
        folder,
        'roll',
        Object.entries(next).map(([PIN, OWNER], n) => {
          const place = OWNER === 'BUYER' ? { MAIL: '9 Far Rd', ZIP: '99999' } : { MAIL: mail, ZIP: '03431' };
          return { properties: { PIN, OWNER, ...place }, geometry: lot(n) };
        }),
        { columns: { owner_name: 'OWNER', mail_address: 'MAIL', mail_zip: 'ZIP' }, force: true },
      );
    const kept = async () => {
      const { rows } = await db.pool.query<{ fields: object }>(
        "select fields - 'owner_occupied' - 'row_version' as fields from changes where type = 'parcel.changed' order by property_id, seq",
      );
      return rows.map(row => row.fields);
    };
    await db.pool.query('truncate contact_suppressions, changes');
    await merge(owners);
    await merge({ ...owners, P1: 'BUYER', P4: 'BUYER' });
    const sold = { mail_address: ['12 Zephyr St', '9 Far Rd'], mail_zip: ['03431', '99999'] };
    const bob = { owner_name: ['ZWEIG BOB', 'BUYER'], ...sold };
    const keptNames = async () => {
      const { rows } = await db.pool.query<{ names: string[] }>(
        "select array_agg(was ->> 'owner_name' order by run_id, property_id) as names from undo_parcels",
      );
      return rows[0]!.names;
    };
    expect(await keptNames()).toEqual(['NOWELL ADA', 'ZWEIG BOB']);
    expect(await kept()).toEqual([{ owner_name: ['NOWELL ADA', 'BUYER'], ...sold }, bob]);
    expect(await forgetContact(db.pool, ask('Ada', 'Nowell'), 'test')).toMatchObject({
      changes: 1,
      kept_parcels: 1,
    });
    expect(await keptNames()).toEqual([null, 'ZWEIG BOB']);
    const erased = {
      owner_name: [null, 'BUYER'],
      mail_address: [null, '9 Far Rd'],
      mail_zip: ['03431', '99999'],
    };
    expect(await kept()).toEqual([erased, bob]);
    expect(await forgetContact(db.pool, ask('Ada', 'Nowell'), 'test')).toMatchObject({ changes: 0 });

    // The roll names her still on another parcel; when it no longer does, nothing else does.
    await merge({ ...owners, P1: 'BUYER', P2: 'BUYER', P3: 'BUYER', P4: 'BUYER' });
    const karl = { owner_name: ['NOWELL KARL', 'BUYER'], ...sold };
    expect(await kept()).toEqual([erased, erased, karl, bob]);
    expect(await keptNames()).toEqual([null, 'ZWEIG BOB', null, 'NOWELL KARL']);
  });

  test('loses a number given alone, and any contact without another number', async () => {
    await db.pool.query('truncate contact_suppressions');
    await people(LINES);
    expect(await forgetContact(db.pool, { subject: null, number: '6035550102' }, 'test')).toMatchObject({
      suppressed: 1,
      contacts: 1,
      numbers: 1,
    });
    expect(await ids()).toEqual(['Ada', 'Ada']);
    const { rows } = await db.pool.query(
      `select phones from contacts where phones @> '[{"number": "6035550101"}]'`,
    );
    expect(rows[0].phones).toHaveLength(1);
    expect(await findMatchingContacts(db.pool, { subject: null, number: '6035550102' })).toEqual([]);
  });
});
