import { extractText } from 'unpdf';
import { beforeAll, describe, expect, test } from 'vitest';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { EXPORTS, exportFile, joinParts, look, makeExports, order, periodOf } from '../../support/exports.ts';
import { listsOf } from '../../support/lists.ts';
import { insertEstimates, insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);

const S = 33_019e8;
const MANY = 5_001;

beforeAll(async () => {
  await insertParcels(db.pool, [
    {
      property_id: S + 1,
      owner_name: 'MCKAY, ADA L & JOHN',
      acres: 5,
      apn: '000007 000044 000000',
      mail_address: '12 N MAIN ST',
      mail_city: 'FORT ANN',
      mail_state: 'NY',
      mail_zip: '12827',
    },
    { property_id: S + 2, owner_name: 'ESTATE OF BEA COLE', acres: 1, apn: '8-1' },
    ...Array.from({ length: MANY }, (_, i) => ({ property_id: S + 100 + i, acres: 1 })),
  ]);
  await insertEstimates(
    db.pool,
    new Map([
      [S + 1, [10_000, 2_000]],
      [S + 2, [30_000, 4_285]],
    ]),
  );
});

async function mailing(settings: object = {}) {
  const { key, accountId } = await newCaller(db);
  const lists = listsOf(api, key);
  const { id } = await lists.make({ offer: { percent: 30 }, ...settings });
  await lists.add(id, { property_ids: [S + 1, S + 2] });
  const body = { list_id: id, format: 'pdf', layout: 'mail' };
  return {
    ...lists,
    id,
    key,
    accountId,
    body,
    make: () => exportFile(db, api, key, body),
    refuse: (more: object) => api.call(EXPORTS, posting(key, JSON.stringify({ ...body, ...more }))),
  };
}

const addMany = (listId: string) =>
  db.pool.query('insert into list_rows (list_id, property_id) select $1, generate_series($2::bigint, $3)', [
    listId,
    S + 100,
    S + 99 + MANY,
  ]);

const pagesOf = async (file: Buffer) =>
  (await extractText(new Uint8Array(file), { mergePages: false })).text.map(page =>
    page.replaceAll(/\s+/g, ' ').trim(),
  );

describe('letters as a PDF', () => {
  test('one page per letter, with its fields, for the price of the rows', async () => {
    const { make, accountId } = await mailing({
      letter: 'Dear {salutation},\r\n{offer} for {apns}, {acres} acres in {situs_county}',
    });
    const made = await make();
    expect(made).toMatchObject({ state: 'ready', rows: 2, tokens: 2 });
    expect(await pagesOf(await joinParts(made))).toEqual([
      'Dear Ada and John, $3,000 for 7-44, 5 acres in Sullivan',
      'Dear Personal Representative, $9,000 for 8-1, 1 acres in Sullivan',
    ]);
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 2, held: 0 });
    const file = await fetch(made.url!);
    expect(file.headers.get('content-type')).toBe('application/pdf');
    expect(file.headers.get('content-disposition')).toMatch(/\.pdf/);
    expect((made as unknown as { credits_url: string }).credits_url).toMatch(/^http/);
  });

  test('lists without their own letter have the suggested one', async () => {
    const { make } = await mailing();
    const pages = await pagesOf(await joinParts(await make()));
    expect(pages.length).toBe(2);
    expect(pages[0]).toMatch(/Ada L and John McKay 12 N Main St Fort Ann, NY 12827 .*\$3,000/);
  });

  test('more than 5,000 letters are refused', async () => {
    const { id, key, body, refuse, accountId } = await mailing({ letter: '{apns}' });
    // Ordered with two letters, and there are more by the time the file is made.
    const { id: early } = await order(api, key, { ...body, only_with_offer: false });
    await addMany(id);
    const refused = await refuse({ only_with_offer: false });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ error: { details: { format: [expect.stringContaining('5000')] } } });
    await makeExports(db);
    expect(await look(api, key, early)).toMatchObject({
      state: 'failed',
      tokens: null,
      parts: [],
      error: { code: 'validation_error', details: { format: [expect.any(String)] } },
    });
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 0, held: 0 });
    // The two rows with a price still fit.
    expect((await exportFile(db, api, key, body)).rows).toBe(2);
  });

  test.each([
    [{ layout: 'plat' }, 'format'],
    [{ layout: undefined }, 'format'],
    [{ layout: undefined, list_id: undefined, filter: { county: '33019' } }, 'format'],
    [{ layout: undefined, list_id: undefined, comps: { fips: '33019' } }, 'format'],
    [{ preset: 'lob' }, 'preset'],
    [{ columns: ['offer'] }, 'columns'],
    [{ boundary: true }, 'boundary'],
    [{ list_id: '00000000-0000-0000-0000-000000000000' }, 'list_id'],
  ])('%j is refused', async (more, field) => {
    const { refuse } = await mailing();
    const refused = await refuse(more);
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ error: { details: { [field]: [expect.any(String)] } } });
  });

  test("another company's list is unknown", async () => {
    const { refuse } = await mailing();
    const other = await mailing();
    expect(await refuse({ list_id: other.id })).toMatchObject({
      status: 400,
      json: { error: { details: { list_id: [expect.any(String)] } } },
    });
  });
});

describe("a list's letter", () => {
  test('is kept, changed, and removed', async () => {
    const { send, id } = await mailing();
    const letter = async (body?: object) =>
      ((await send(body ? 'PATCH' : 'GET', `${id}/`, body as never)).json as { letter: unknown }).letter;
    expect(await letter()).toBeNull();
    expect(await letter({ letter: 'Dear {salutation},\r\nhello' })).toBe('Dear {salutation},\nhello');
    expect(await letter({ name: 'renamed' })).toBe('Dear {salutation},\nhello');
    expect(await letter({ letter: null })).toBeNull();
  });

  test.each([
    ['Dear {nobody}', /\{nobody\}/],
    ['   ', /./],
    ['x'.repeat(6_001), /6000/],
    ['a\0b', /./],
    [7, /./],
  ])('%j is refused', async (letter, why) => {
    const { send, id } = await mailing();
    const refused = await send('PATCH', `${id}/`, { letter });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: { details: { letter: [expect.stringMatching(why)] } } },
    });
    expect((await send('GET', `${id}/`)).json).toMatchObject({ letter: null });
  });
});
